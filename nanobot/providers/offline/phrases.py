"""The usual wordings of plain requests, each with the step it means.

A phrase must fit a whole clause; what its slots stand for is decided in `slots`. Where a slot does
not fit, the next phrase is tried. Nothing here can name a tool that changes something.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from nanobot.providers.offline import slots
from nanobot.providers.offline.call import Call
from nanobot.providers.offline.sentences import QUOTED, Masked
from nanobot.providers.offline.steps import (
    FileCount,
    LastLines,
    LineCount,
    MatchCount,
    Plain,
    Step,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from nanobot.jsonvalue import JsonObject

Steps: TypeAlias = "Sequence[Step] | None"

_WORD = rf"(?:{QUOTED}|[^\s,\ue000-\uf8ff]+)"
_AND = r"(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+or\s+)"
_MANY = rf"{_WORD}(?:{_AND}{_WORD})*"
_FRAGMENTS = {
    "SHOW": r"(?:show|print|display|view|read|open|cat|output|see|look at|get|give|dump|check"
    r"|take a look at|have a look at)(?: me| us)?",
    "LIST": r"(?:list|ls|dir|show|print|display|view|see|look at|get|give|what are|which are"
    r"|tell)(?: me| us)?(?: a list of| a listing of)?",
    "FIND": r"(?:find|locate|list|show|look for|search for|get|give|what are|which are)(?: me| us)?",
    "SEEK": r"(?:search|grep|look|scan|check|find)",
    "ALL": r"(?:all of the|all of|all the|all my|all|any|every|the|my|our|your|a list of)?",
    "FILES": r"(?:files and (?:folders|directories|dirs)|folders and files|files|folders"
    r"|directories|everything|contents?|entries|listing|things)",
    "FOLDER": r"(?:folder|directory|dir)",
    "HERE": r"(?:here|there|(?:in |of |inside )?(?:this|the|my|the current|the working|current"
    r"|the root|the top|the project'?s?|the repo'?s?)? ?(?:top |root |project |current |working )?"
    r"(?:folder|directory|dir|project|workspace|repo|repository|codebase|code|root|tree))",
    "IN": r"(?:in|inside|within|under|from|of|at|across|below|through|throughout)",
    "HAS": r"(?:contain(?:s|ing)?|mention(?:s|ing)?|use(?:s)?|using|include(?:s)?|including"
    r"|with|have|has|having|reference(?:s)?|referencing|that contain(?:s)?|that mention(?:s)?"
    r"|that use(?:s)?|which contain(?:s)?|that have|that has|that include(?:s)?|call(?:s)?)",
    "TEXT": r"(?:(?:all |the |any |every )*(?:word|string|text|phrase|term|pattern|name|symbol"
    r"|occurrences? of|mentions? of|instances? of|uses? of|usages? of|matches (?:for|of)"
    r"|references? to)s? )?(?:the |all |any |all the )?(?:word |string |text |phrase )?",
    "HITS": r"(?:lines|line|matches|occurrences|mentions|usages|uses|places|references|instances)",
    "HITWITH": r"(?:with|containing|of|for|to|that contain|that mention|matching|where)",
    "FIRST": r"(?:(?:the )?(?:first|top)|(?:the )?(?:beginning|start|head|top))",
    "LAST": r"(?:(?:the )?(?:last|bottom|final))",
}
_SLOTS = {
    "file": rf"(?P<file>{_WORD})",
    "files": rf"(?P<files>{_MANY})",
    "dir": rf"(?P<dir>{_WORD})",
    "dirs": rf"(?P<dirs>{_MANY})",
    "kind": rf"(?P<kind>{_WORD})",
    "name": rf"(?P<name>{_WORD})",
    "terms": rf"(?P<terms>{_MANY})",
    "term": rf"(?P<term>{_WORD}(?: {_WORD})*?)",
    "n": r"(?P<n>\w+)",
    "m": r"(?P<m>\w+)",
}


@dataclass(frozen=True, slots=True)
class _Filled:
    """A phrase that fits, with its slots."""

    groups: dict[str, str | None]
    masked: Masked

    def has(self, name: str) -> bool:
        return self.groups.get(name) is not None

    def values(self, name: str, meaning: Callable[..., str | None]) -> list[str] | None:
        """Each of the words of a slot by what it means; None when one does not fit."""
        found = self.groups.get(name)
        words = re.split(_AND, found) if found else []
        each = [self._value(word, meaning) for word in words]
        known = [value for value in each if value is not None]
        return known if known and len(known) == len(each) else None

    def value(self, name: str, meaning: Callable[..., str | None]) -> str | None:
        found = self.groups.get(name)
        return None if found is None else self._value(found, meaning)

    def _value(self, word: str, meaning: Callable[..., str | None]) -> str | None:
        value = self.masked.value(word)
        return None if value is None else meaning(value, quoted=len(word) == 1 and value != word)

    def number(self, name: str = "n") -> int | None:
        found = self.groups.get(name)
        return None if found is None else slots.number(found)

    @property
    def kind(self) -> str | None:
        found = self.groups.get("kind")
        value = None if found is None else self.masked.value(found)
        return None if value is None else slots.kind_glob(value)

    def scopes(self) -> list[JsonObject] | None:
        """Where to search: one set of arguments for each folder; None when one doesn't fit."""
        glob: JsonObject = {}
        if self.has("kind"):
            if self.kind is None:
                return None
            glob = {"glob": self.kind}
        if not self.has("dirs"):
            return [glob]
        folders = self.values("dirs", slots.folder_path)
        return None if folders is None else [{"path": folder, **glob} for folder in folders]


def _lists(filled: _Filled) -> Steps:
    more: JsonObject = {"recursive": True} if filled.has("deep") else {}
    if not filled.has("dirs"):
        return [Plain(Call("list_dir", {"path": ".", **more}))]
    folders = filled.values("dirs", slots.folder_path)
    if folders is None:
        return None
    return [Plain(Call("list_dir", {"path": folder, **more})) for folder in folders]


def _lists_path(filled: _Filled) -> Steps:
    """*show src/*: only what is written as a folder."""
    found = filled.groups.get("dirs") or ""
    return _lists(filled) if all(word.endswith("/") for word in re.split(_AND, found)) else None


def _reads(filled: _Filled) -> Steps:
    return _each_read(filled.values("files", slots.file_path))


def _reads_named(filled: _Filled) -> Steps:
    def named(word: str, *, quoted: bool) -> str | None:
        return slots.file_path(word, quoted=quoted, named=True)

    return _each_read(filled.values("files", named))


def _each_read(paths: Iterable[str] | None) -> Steps:
    if paths is None:
        return None
    return [Plain(Call("read_file", {"path": path})) for path in paths]


def _reads_part(filled: _Filled) -> Steps:
    """From line N on, to line M where it is said."""
    path, first, last = filled.value("file", slots.file_path), filled.number("n"), filled.number("m")
    if path is None or first is None or (filled.has("m") and (last is None or last < first)):
        return None
    arguments: JsonObject = {"path": path, "offset": first}
    if last is not None:
        arguments["limit"] = last - first + 1
    elif filled.has("single"):
        arguments["limit"] = 1
    return [Plain(Call("read_file", arguments))]


def _reads_head(filled: _Filled) -> Steps:
    lines = filled.number() if filled.has("n") else (1 if filled.has("single") else 10)
    paths = filled.values("files", slots.file_path)
    if lines is None or paths is None:
        return None
    return [Plain(Call("read_file", {"path": path, "limit": lines})) for path in paths]


def _reads_tail(filled: _Filled) -> Steps:
    lines = filled.number() if filled.has("n") else (1 if filled.has("single") else 10)
    paths = filled.values("files", slots.file_path)
    if lines is None or paths is None:
        return None
    return [LastLines(path, lines) for path in paths]


def _counts_lines(filled: _Filled) -> Steps:
    paths = filled.values("files", slots.file_path)
    return None if paths is None else [LineCount(path) for path in paths]


def _counts_files(filled: _Filled) -> Steps:
    scopes = filled.scopes()
    if scopes is None:
        return None
    return [FileCount(Call("find_files", {**scope, "head_limit": 0})) for scope in scopes]


def _finds_kind(filled: _Filled) -> Steps:
    scopes = filled.scopes()
    if scopes is None or not filled.has("kind"):
        return None
    return [Plain(Call("find_files", scope)) for scope in scopes]


def _finds_name(filled: _Filled) -> Steps:
    """Files by a name that is called one: any word."""

    def named(word: str, *, quoted: bool) -> str | None:
        return slots.file_path(word, quoted=quoted, named=True) or (
            word if slots.has_glob(word) else None
        )

    return _finds(filled, named)


def _finds_file(filled: _Filled) -> Steps:
    """Files by a name that looks like one."""

    def looks(word: str, *, quoted: bool) -> str | None:
        if quoted and not re.search(r"[./*]", word):
            return None
        return slots.file_path(word, quoted=quoted) or (word if slots.has_glob(word) else None)

    return _finds(filled, looks)


def _finds(filled: _Filled, meaning: Callable[..., str | None]) -> Steps:
    name, scopes = filled.value("name", meaning), filled.scopes()
    if name is None or scopes is None:
        return None
    key = "glob" if slots.has_glob(name) else "query"
    return [Plain(Call("find_files", {key: name, **scope})) for scope in scopes]


def _greps(filled: _Filled) -> Steps:
    """Behind *search for*: words as they are."""
    return _grep_each(filled, filled.values("terms", slots.search_term))


def _greps_phrase(filled: _Filled) -> Steps:
    term = filled.value("term", slots.search_term)
    return _grep_each(filled, None if term is None else [term])


def _greps_code(filled: _Filled) -> Steps:
    """Where nothing says *for*: only what is quoted or looks like code."""
    return _grep_each(filled, filled.values("terms", slots.code_term))


def _grep_each(filled: _Filled, terms: Sequence[str] | None, mode: str = "content") -> Steps:
    scopes = filled.scopes()
    if terms is None or scopes is None:
        return None
    found: list[Step] = []
    for term in terms:
        for scope in scopes:
            call = Call("grep", {**_pattern(term, filled), **scope, "output_mode": mode})
            found.append(MatchCount(call) if mode == "count" else Plain(call))
    return found


def _pattern(term: str, filled: _Filled) -> JsonObject:
    arguments: JsonObject = {"pattern": term}
    if re.search(r"[\\^$.|?*+()\[\]{}]", term) and not filled.has("regex"):
        arguments["fixed_strings"] = True
    if filled.has("nocase"):
        arguments["case_insensitive"] = True
    return arguments


def _greps_files(filled: _Filled) -> Steps:
    return _grep_each(filled, filled.values("terms", slots.search_term), "files_with_matches")


def _counts_matches(filled: _Filled) -> Steps:
    return _grep_each(filled, filled.values("terms", slots.search_term), "count")


def _counts_code(filled: _Filled) -> Steps:
    return _grep_each(filled, filled.values("terms", slots.code_term), "count")


def _finds_definition(filled: _Filled) -> Steps:
    name, scopes = filled.value("name", slots.code_name), filled.scopes()
    if name is None or scopes is None:
        return None
    pattern = definition_pattern(name)
    return [
        Plain(Call("grep", {"pattern": pattern, **scope, "output_mode": "content"}))
        for scope in scopes
    ]


def definition_pattern(name: str) -> str:
    """The expression that finds where a name is defined, in the usual languages."""
    last = re.escape(re.split(r"\.|::", name)[-1])
    words = "class|def|function|func|fn|struct|enum|trait|interface|type|const|let|var"
    return rf"\b({words})\s+{last}\b|^\s*{last}\s*(:[^=]*)?:?=[^=]"


def _finds_uses(filled: _Filled) -> Steps:
    name, scopes = filled.value("name", slots.code_name), filled.scopes()
    if name is None or scopes is None:
        return None
    pattern = rf"\b{re.escape(name)}\b"
    return [
        Plain(Call("grep", {"pattern": pattern, **scope, "output_mode": "content"}))
        for scope in scopes
    ]


_WHERE = r"(?: <HERE>| anywhere| everywhere| <IN> (?:all )?(?:the )?(?:files|code|sources?)| <IN> (?:the )?(?:<FOLDER> |file )?{dirs}(?: <FOLDER>| file)?)?"
_IN_KIND = r"(?: <IN> (?:all )?(?:the )?{kind} files)?"
_CASE = r"(?P<nocase> (?:ignoring case|ignore case|case[- ]insensitive(?:ly)?))?"
_SCOPE = _IN_KIND + _WHERE + _CASE
_DEEP = r"(?P<deep> recursively| and (?:all )?subfolders| and subdirectories)?"

_PHRASES: Sequence[tuple[Callable[[_Filled], Steps], Sequence[str]]] = (
    (
        _lists,
        (
            r"(?:list|ls|dir|ls -la?|ls -al?)(?P<deep> -R| recursively)?",
            r"<LIST> <ALL> ?<FILES>(?: are)?(?: that are)?(?: <HERE>)?" + _DEEP,
            r"<LIST> <ALL> ?(?:<FILES> )?(?:<IN> )?(?:the )?(?:<FOLDER> )?{dirs} <FOLDER>" + _DEEP,
            r"<LIST> <ALL> ?<FILES>(?: that are| are)? (?:<IN>) (?:the )?(?:<FOLDER> )?{dirs}" + _DEEP,
            r"(?:what|which) (?:<FILES> )?(?:(?:is|are|do we have|do i have|exist|can you see)"
            r"(?: there)? )(?:<HERE>)" + _DEEP,
            r"(?:what|which) <FILES>(?: and <FILES>)?(?: are there| do we have| do i have| exist"
            r"| do you see| can you see| are)?(?: <HERE>)?" + _DEEP,
            r"(?:what|which) <FILES>(?: are| are there| exist| do we have| do i have)? <IN> "
            r"(?:the )?(?:<FOLDER> )?{dirs}(?: <FOLDER>)?" + _DEEP,
            r"(?:what is|what's|whats) <HERE>",
            r"(?:what is|what's|whats) (?:there )?(?:in|inside|under) (?:the )?{dirs} <FOLDER>",
            r"(?:what is|what's|whats) (?:there )?(?:in|inside|under) (?:the <FOLDER> )?{dirs}",
            r"(?:list|ls|dir)(?: -la?| -al?)? {dirs}" + _DEEP,
            r"list (?:out )?(?:the |this |the current )?(?:<FOLDER>|project|repo|repository|workspace)" + _DEEP,
            r"<SHOW> (?:the |this |the current )<FOLDER>(?: listing| contents?)?" + _DEEP,
        ),
    ),
    (_lists_path, (r"<SHOW> (?:the )?(?:<FOLDER> )?{dirs}",)),
    (
        _lists,
        (
            r"(?:<LIST> |what is |what's )(?:the )?(?:project |folder |directory |file |repo |whole |full |entire )*"
            r"(?P<deep>structure|tree)(?: of <HERE>| <HERE>)?",
            r"(?:<LIST> )?(?:the )?(?:folder |directory |file |whole |full |entire )*(?P<deep>tree|structure)"
            r" (?:of|in|under) (?:the )?{dirs}(?: <FOLDER>)?",
            r"(?P<deep>recursively) (?:list|show) <ALL> ?<FILES>(?: <HERE>| <IN> (?:the )?{dirs}(?: <FOLDER>)?)?",
        ),
    ),
    (
        _reads_head,
        (
            r"(?:<SHOW> )?(?:<FIRST>) (?:(?P<single>line)|{n} lines?|(?:few )?lines) (?:of|in|from) (?:the )?(?:file )?{files}(?: file)?",
            r"(?:<SHOW> )?(?:the )?(?:beginning|start|head|top)(?: of)? (?:the )?(?:file )?{files}(?: file)?",
            r"head(?: (?:-n ?|-){n})? {files}",
            r"<SHOW> {n} lines (?:of|from) (?:the )?(?:file )?{files}",
            r"(?:what is|what's|what are) <FIRST> (?:(?P<single>line)|{n} lines?|lines) (?:of|in) (?:the )?(?:file )?{files}",
        ),
    ),
    (
        _reads_tail,
        (
            r"(?:<SHOW> )?<LAST> (?:(?P<single>line)|{n} lines?|(?:few )?lines) (?:of|in|from) (?:the )?(?:file )?{files}(?: file)?",
            r"(?:<SHOW> )?(?:the )?(?:end|tail|bottom) of (?:the )?(?:file )?{files}(?: file)?",
            r"tail(?: (?:-n ?|-){n})?(?: of)? {files}",
            r"(?:what is|what's|what are) <LAST> (?:(?P<single>line)|{n} lines?|lines) (?:of|in) (?:the )?(?:file )?{files}",
        ),
    ),
    (
        _reads_part,
        (
            r"(?:<SHOW> )?(?:the )?lines? {n} ?(?:-|–|to|through|until|and) ?{m} (?:of|in|from) (?:the )?(?:file )?{file}(?: file)?",
            r"(?:<SHOW> )?(?:the )?lines? from {n} (?:to|through) {m} (?:of|in) (?:the )?(?:file )?{file}",
            r"(?:<SHOW> )?(?P<single>(?:the )?line) (?:number )?{n} (?:of|in|from) (?:the )?(?:file )?{file}(?: file)?",
            r"<SHOW> (?:the )?(?:file )?{file},? (?:from )?lines? {n} ?(?:-|–|to|through) ?(?:line )?{m}",
            r"<SHOW> (?:the )?(?:file )?{file},? (?:from|starting (?:at|from)) line {n}(?: on| onwards?)?",
            r"<SHOW> (?:the )?(?:file )?{file},? (?P<single>line) {n}",
        ),
    ),
    (
        _counts_lines,
        (
            r"how many lines(?: of code)?(?: are)?(?: there)? (?:in|does|do|has) (?:the )?(?:file )?{files}(?: file)?(?: have| has| contain)?",
            r"(?:count|number of|what is the number of|how many are the) <ALL> ?lines (?:in|of) (?:the )?(?:file )?{files}",
            r"(?:the )?(?:number of lines|line count|length) (?:in|of|for) (?:the )?(?:file )?{files}",
            r"(?:what is|what's|give me|show me|get) (?:the )?(?:number of lines|line count|length) (?:in|of|for) (?:the )?(?:file )?{files}",
            r"wc -l {files}",
            r"how long (?:is|are) (?:the )?(?:file )?{files}(?: file)?",
        ),
    ),
    (
        _counts_files,
        (
            r"how many (?:{kind} )?files(?: are| do we have| do i have| exist)?(?: there)?(?: are)?" + _WHERE,
            r"count (?:all )?(?:the )?(?:{kind} )?files" + _WHERE,
            r"(?:what is |what's )?(?:the )?number of (?:{kind} )?files" + _WHERE,
        ),
    ),
    (
        _counts_matches,
        (
            r"(?:count|how many) <ALL> ?(?:<HITS>) (?:of|for|with|contain(?:ing)?|mention(?:ing)?|to|are there of|match(?:ing)?) <TEXT>{terms}(?: are| are there| exist)?" + _SCOPE,
            r"(?:how many times|how often) (?:does|do|is|are) <TEXT>{terms} (?:appear|occur|used|mentioned|show up|come up)" + _SCOPE,
            r"(?:what is |what's )?(?:the )?number of (?:<HITS>) (?:of|for|with|containing) <TEXT>{terms}" + _SCOPE,
        ),
    ),
    (
        _counts_code,
        (
            r"how many {terms}(?: are| do we have| exist)?(?: there)?" + _SCOPE,
            r"count (?:all )?(?:the )?{terms}" + _SCOPE,
        ),
    ),
    (
        _greps_files,
        (
            r"(?:in )?(?:which|what) (?:{kind} )?files(?: in {dirs})? <HAS> <TEXT>{terms}",
            r"(?:<FIND> )?<ALL> ?(?:{kind} )?files <HAS> <TEXT>{terms}" + _WHERE + _CASE,
            r"(?:<FIND> )?<ALL> ?(?:{kind} )?files(?: <IN> (?:the )?{dirs}(?: <FOLDER>)?) <HAS> <TEXT>{terms}",
            r"(?:in )?(?:which|what) (?:{kind} )?files <HAS> <TEXT>{terms}" + _WHERE + _CASE,
            r"in (?:which|what) (?:{kind} )?files? (?:is|does|are) <TEXT>{terms} (?:used|mentioned|appear|occur)" + _WHERE,
        ),
    ),
    (
        _finds_kind,
        (
            r"(?:<FIND> )<ALL> ?{kind} files(?: are there| there are| exist| that exist| do we have)?" + _WHERE,
            r"(?:what|which|are there any|do we have any|is there any) {kind} files?(?: are there| exist| do we have| are)?" + _WHERE,
            r"<FIND> <ALL> ?files (?:ending (?:in|with)|with (?:the )?(?:extension|ending|suffix)|of type) {kind}" + _WHERE,
        ),
    ),
    (
        _finds_name,
        (
            r"(?:<FIND> )<ALL> ?(?:a |an )?files?(?: that are| which are| that is)? (?:named|called|matching|with the name|with name|like) {name}" + _WHERE,
            r"(?:is there|are there|do we have|do you see)(?: a| an| any)? files? (?:named|called|matching|like) {name}" + _WHERE,
            r"<FIND> (?:the )?files? {name}" + _WHERE,
            r"(?:where is|where's|where are) (?:the )?files? (?:named |called )?{name}",
        ),
    ),
    (
        _finds_file,
        (
            r"(?:find|locate|look for|search for|where is|where's|where are|is there|do we have)(?: a| an| any| all)?(?: the)?(?: file)? {name}(?: file)?(?: located| stored)?" + _WHERE,
        ),
    ),
    (
        _finds_definition,
        (
            r"(?:where is|where's|find where|show me where) (?:the )?(?:class |function |method |variable |constant |type )?{name} (?:is )?(?:defined|declared|implemented)" + _WHERE,
            r"(?:find|show|show me|locate|go to|get|give me|where is) (?:the )?(?:definition|declaration|implementation) of (?:the )?(?:class |function |method )?{name}" + _WHERE,
            r"(?:find|locate|where is|where's|show me|show) (?:the )?(?:class|function|method|def) {name}(?: defined)?" + _WHERE,
        ),
    ),
    (
        _finds_uses,
        (
            r"(?:where is|where's|where are|find where|show me where|is) (?:the )?(?:class |function |method |variable )?{name} (?:is )?(?:used|called|imported|mentioned|referenced|instantiated)" + _WHERE,
            r"(?:where do we|where does it|where do you) (?:use|call|import|mention) {name}" + _WHERE,
            r"(?:who|what) (?:calls|uses|imports|references) {name}" + _WHERE,
            r"(?:find|show|show me|list|search for|locate) <ALL> ?(?:places where |places that use |uses of |usages of |users of |callers of |calls to |calls of |references to |imports of ){name}(?: is used| is called)?" + _WHERE,
        ),
    ),
    (
        _greps,
        (
            r"<SEEK> (?:through |in |inside )?(?:(?:all )?(?:the )?(?:files|code|codebase|project|repo|sources?) )?for (?:the )?(?P<regex>regex|regexp|regular expression) {terms}" + _SCOPE,
            r"<SEEK> for <TEXT>{terms}" + _SCOPE,
            r"<SEEK> (?:through |in |inside )?(?:all )?(?:the )?(?:{kind} )?(?:files|code|codebase|project|repo|repository|workspace|sources?|everything|everywhere) for <TEXT>{terms}" + _CASE,
            r"<SEEK> (?:through |in |inside |across |within )?(?:the )?(?:<FOLDER> |file )?{dirs}(?: <FOLDER>| file)? for <TEXT>{terms}" + _CASE,
            r"<SEEK> <IN> (?:all )?(?:the )?{kind} files for <TEXT>{terms}" + _CASE,
            r"(?:grep)(?: -r?n?i?)? {terms}" + _SCOPE,
            r"grep(?: -r?n?)? (?P<terms>" + _WORD + r") {dirs}",
            r"(?:find|show|list|get|print|give)(?: me)? <ALL> ?<HITS> <HITWITH> <TEXT>{terms}(?: is used| appears?| occurs?)?" + _SCOPE,
            r"where (?:does|do) <TEXT>{terms} (?:appear|occur|show up|come up)" + _SCOPE,
            r"does <TEXT>{terms} (?:appear|occur|exist) <IN> (?:the )?{dirs}",
            r"does (?:the )?(?:file )?{dirs} (?:contain|mention|use|include|have) <TEXT>{terms}",
        ),
    ),
    (_greps_phrase, (r"<SEEK> for <TEXT>{term}" + _SCOPE,)),
    (
        _greps_code,
        (
            r"(?:find|search|show|show me|list|get|are there any|are there|any|look up|what are)(?: me)? (?:for )?<ALL> ?<TEXT>{terms}(?: comments?| there are| left| markers?)?" + _SCOPE,
            r"where (?:is|are) (?:the )?{terms}" + _SCOPE,
            r"<ALL> ?(?:occurrences|usages|mentions) of {terms}" + _SCOPE,
        ),
    ),
    (
        _reads,
        (
            r"<SHOW> (?:the )?(?:whole |entire |full |complete )?(?:(?:file|files|document|contents? of|text of|content of)(?: the)?(?: files?)? )?{files}(?: files?| contents?| document)?",
            r"(?:what is|what's|whats) (?:in|inside|written in) (?:the )?(?:file )?{files}(?: file)?",
            r"what (?:does|do) (?:the )?(?:file )?{files}(?: file)? (?:say|contain|hold|look like|have in it)",
            r"(?:what is|what are|what's)? ?(?:the )?contents? of (?:the )?(?:file )?{files}(?: file)?",
        ),
    ),
    (_reads_named, (r"<SHOW> (?:the )?(?:contents? of )?(?:the )?files? (?:named |called )?{files}", r"cat {files}")),
)


def _compiled(pattern: str) -> re.Pattern[str]:
    for _ in range(2):
        pattern = re.sub(r"<([A-Z]+)>", lambda found: _FRAGMENTS[found[1]], pattern)
    pattern = re.sub(r"\{([a-z]+)\}", lambda found: _SLOTS[found[1]], pattern)
    return re.compile(pattern, re.IGNORECASE)


_TABLE = tuple(
    (builder, tuple(map(_compiled, patterns))) for builder, patterns in _PHRASES
)


def understand(text: str, masked: Masked) -> Steps:
    """The steps that one clause means; None where no phrase fits it."""
    for build, patterns in _TABLE:
        for pattern in patterns:
            found = pattern.fullmatch(text)
            steps = build(_Filled(found.groupdict(), masked)) if found else None
            if steps:
                return steps
    return None


__all__ = ["definition_pattern", "understand"]
