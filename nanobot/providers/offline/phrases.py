"""The usual wordings of plain requests, each with its meaning.

A wording must fit a whole clause, in lower case. What its slots stand for is decided in
`meanings`; where a slot does not fit, the next wording is tried.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from nanobot.providers.offline import meanings
from nanobot.providers.offline.meanings import AND, Filled, Steps
from nanobot.providers.offline.sentences import QUOTED

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from nanobot.providers.offline.sentences import Masked

_WORD = rf"(?:{QUOTED}|[^\s,\ue000-\uf8ff]+)"
_MANY = rf"{_WORD}(?:{AND}{_WORD})*"
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
    "WHOLE": r"(?:project |folder |directory |file |repo |whole |full |entire )*",
    "FOLDER": r"(?:folder|directory|dir)",
    "HERE": r"(?:here|there|(?:in |of |inside )?(?:this|the|my|the current|the working|current"
    r"|the root|the top|the project'?s?|the repo'?s?)? ?(?:top |root |project |current |working )?"
    r"(?:folder|directory|dir|project|workspace|repo|repository|codebase|code|root|tree))",
    "IN": r"(?:in|inside|within|under|from|of|at|across|below|through|throughout)",
    "HAS": r"(?:contain(?:s|ing)?|mention(?:s|ing)?|use(?:s)?|using|include(?:s)?|including"
    r"|with|have|has|having|reference(?:s)?|referencing|that contain(?:s)?|that mention(?:s)?"
    r"|that use(?:s)?|import(?:s|ing)?|that import(?:s)?|which contain(?:s)?|that have|that has|that include(?:s)?|call(?:s)?)",
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


_WHERE = r"(?: <HERE>| anywhere| everywhere| <IN> (?:all )?(?:the )?(?:files|code|sources?)| <IN> (?:the )?(?:<FOLDER> |file )?{dirs}(?: <FOLDER>| file)?)?"
_IN_KIND = r"(?: <IN> (?:all )?(?:the )?{kind} files)?"
_CASE = r"(?P<nocase> (?:ignoring case|ignore case|case[- ]insensitive(?:ly)?))?"
_SCOPE = _IN_KIND + _WHERE + _CASE
_DEEP = r"(?P<deep> recursively| and (?:all )?subfolders| and subdirectories)?"

_PHRASES: Sequence[tuple[Callable[[Filled], Steps], Sequence[str]]] = (
    (
        meanings.lists,
        (
            r"(?:list|ls|dir|ls -la?|ls -al?)(?P<deep> -r| recursively)?",
            r"<LIST> <ALL> ?<FILES>(?: are)?(?: that are)?(?: <HERE>)?" + _DEEP,
            r"<LIST> <ALL> ?(?:<FILES> )?(?:<IN> )?(?:the )?(?:<FOLDER> )?{dirs} <FOLDER>" + _DEEP,
            r"<LIST> <ALL> ?<FILES>(?: that are| are)? (?:<IN>) (?:the )?(?:<FOLDER> )?{dirs}"
            + _DEEP,
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
            r"list (?:out )?(?:the |this |the current )?(?:<FOLDER>|project|repo|repository|workspace)"
            + _DEEP,
            r"<SHOW> (?:the |this |the current )<FOLDER>(?: listing| contents?)?" + _DEEP,
        ),
    ),
    (meanings.lists_path, (r"<SHOW> (?:the )?(?:<FOLDER> )?{dirs}",)),
    (
        meanings.lists,
        (
            r"(?:<LIST> |what is |what's )(?:the )?<WHOLE>(?P<deep>structure|tree)(?: of <HERE>| <HERE>)?",
            r"(?:<LIST> )?(?:the )?<WHOLE>(?P<deep>tree|structure) (?:of|in|under) (?:the )?{dirs}(?: <FOLDER>)?",
            r"(?P<deep>recursively) (?:list|show) <ALL> ?<FILES>(?: <HERE>| <IN> (?:the )?{dirs}(?: <FOLDER>)?)?",
        ),
    ),
    (
        meanings.reads_head,
        (
            r"(?:<SHOW> )?(?:<FIRST>) (?:(?P<single>line)|{n} lines?|(?:few )?lines) (?:of|in|from) (?:the )?(?:file )?{files}(?: file)?",
            r"(?:<SHOW> )?(?:the )?(?:beginning|start|head|top)(?: of)? (?:the )?(?:file )?{files}(?: file)?",
            r"head(?: (?:-n ?|-){n})? {files}",
            r"<SHOW> {n} lines (?:of|from) (?:the )?(?:file )?{files}",
            r"(?:what is|what's|what are) <FIRST> (?:(?P<single>line)|{n} lines?|lines) (?:of|in) (?:the )?(?:file )?{files}",
        ),
    ),
    (
        meanings.reads_tail,
        (
            r"(?:<SHOW> )?<LAST> (?:(?P<single>line)|{n} lines?|(?:few )?lines) (?:of|in|from) (?:the )?(?:file )?{files}(?: file)?",
            r"(?:<SHOW> )?(?:the )?(?:end|tail|bottom) of (?:the )?(?:file )?{files}(?: file)?",
            r"tail(?: (?:-n ?|-){n})?(?: of)? {files}",
            r"(?:what is|what's|what are) <LAST> (?:(?P<single>line)|{n} lines?|lines) (?:of|in) (?:the )?(?:file )?{files}",
        ),
    ),
    (
        meanings.reads_part,
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
        meanings.counts_lines,
        (
            r"how many lines(?: of code)?(?: are)?(?: there)? (?:in|does|do|has) (?:the )?(?:file )?{files}(?: file)?(?: have| has| contain)?",
            r"how many lines (?:the )?(?:file )?{files} (?:has|have|contains?)",
            r"(?:count|number of|what is the number of|how many are the) <ALL> ?lines (?:in|of) (?:the )?(?:file )?{files}",
            r"(?:the )?(?:number of lines|line count|length) (?:in|of|for) (?:the )?(?:file )?{files}",
            r"(?:what is|what's|give me|show me|get) (?:the )?(?:number of lines|line count|length) (?:in|of|for) (?:the )?(?:file )?{files}",
            r"wc -l {files}",
            r"how long (?:is|are) (?:the )?(?:file )?{files}(?: file)?",
        ),
    ),
    (
        meanings.counts_files,
        (
            r"how many (?:{kind} )?files(?: are| do we have| do i have| exist)?(?: there)?(?: are)?"
            + _WHERE,
            r"count (?:all )?(?:the )?(?:{kind} )?files" + _WHERE,
            r"(?:what is |what's )?(?:the )?number of (?:{kind} )?files" + _WHERE,
        ),
    ),
    (
        meanings.counts_matches,
        (
            r"(?:count|how many) <ALL> ?(?:<HITS>) (?:of|for|with|contain(?:ing)?|mention(?:ing)?|to|are there of|match(?:ing)?) <TEXT>{terms}(?: are| are there| exist)?"
            + _SCOPE,
            r"(?:how many times|how often) (?:does|do|is|are) <TEXT>{terms} (?:appear|occur|used|mentioned|show up|come up)"
            + _SCOPE,
            r"(?:what is |what's )?(?:the )?number of (?:<HITS>) (?:of|for|with|containing) <TEXT>{terms}"
            + _SCOPE,
        ),
    ),
    (
        meanings.counts_code,
        (
            r"how many {terms}(?: are| do we have| exist)?(?: there)?" + _SCOPE,
            r"count (?:all )?(?:the )?{terms}" + _SCOPE,
        ),
    ),
    (
        meanings.greps_files,
        (
            r"(?:in )?(?:which|what) (?:{kind} )?files(?: in {dirs})? <HAS> <TEXT>{terms}",
            r"(?:<FIND> )?<ALL> ?(?:{kind} )?files <HAS> <TEXT>{terms}" + _WHERE + _CASE,
            r"(?:<FIND> )?<ALL> ?(?:{kind} )?files(?: <IN> (?:the )?{dirs}(?: <FOLDER>)?) <HAS> <TEXT>{terms}",
            r"(?:in )?(?:which|what) (?:{kind} )?files <HAS> <TEXT>{terms}" + _WHERE + _CASE,
            r"in (?:which|what) (?:{kind} )?files? (?:is|does|are) <TEXT>{terms} (?:used|mentioned|appear|occur)"
            + _WHERE,
        ),
    ),
    (
        meanings.finds_kind,
        (
            r"(?:<FIND> )<ALL> ?{kind} files(?: are there| there are| exist| that exist| do we have)?"
            + _WHERE,
            r"(?:what|which|are there any|do we have any|is there any) {kind} files?(?: are there| exist| do we have| are)?"
            + _WHERE,
            r"<FIND> <ALL> ?files (?:ending (?:in|with)|with (?:the )?(?:extension|ending|suffix)|of type) {kind}"
            + _WHERE,
        ),
    ),
    (
        meanings.finds_name,
        (
            r"(?:<FIND> )<ALL> ?(?:a |an )?files?(?: that are| which are| that is)? (?:named|called|matching|with the name|with name|like) {name}"
            + _WHERE,
            r"(?:is there|are there|do we have|do you see)(?: a| an| any)? files? (?:named|called|matching|like) {name}"
            + _WHERE,
            r"<FIND> (?:the )?files? {name}" + _WHERE,
            r"(?:where is|where's|where are) (?:the )?files? (?:named |called )?{name}",
        ),
    ),
    (
        meanings.finds_file,
        (
            r"(?:find|locate|(?P<text>look for|search for)|where is|where's|where are|is there|do we have)(?: a| an| any| all)?(?: the)?(?: file)? {name}(?: file)?(?: located| stored)?"
            + _WHERE,
        ),
    ),
    (
        meanings.finds_definition,
        (
            r"(?:where is|where's|find where|show me where) (?:the )?(?:class |function |method |variable |constant |type )?{name} (?:is )?(?:defined|declared|implemented)"
            + _WHERE,
            r"(?:find|show|show me|locate|go to|get|give me|where is) (?:the )?(?:definition|declaration|implementation) of (?:the )?(?:class |function |method )?{name}"
            + _WHERE,
            r"(?:find|locate|where is|where's|show me|show) (?:the )?(?:class|function|method|def) {name}(?: defined)?"
            + _WHERE,
        ),
    ),
    (
        meanings.finds_uses,
        (
            r"(?:where is|where's|where are|find where|show me where|is) (?:the )?(?:class |function |method |variable )?{name} (?:is )?(?:used|called|imported|mentioned|referenced|instantiated)"
            + _WHERE,
            r"(?:where do we|where does it|where do you) (?:use|call|import|mention) {name}"
            + _WHERE,
            r"(?:who|what) (?:calls|uses|imports|references) {name}" + _WHERE,
            r"(?:find|show|show me|list|search for|locate) <ALL> ?(?:places where |places that use |uses of |usages of |users of |callers of |calls to |calls of |references to |imports of ){name}(?: is used| is called)?"
            + _WHERE,
        ),
    ),
    (
        meanings.greps,
        (
            r"<SEEK> (?:through |in |inside )?(?:(?:all )?(?:the )?(?:files|code|codebase|project|repo|sources?) )?for (?:the )?(?P<regex>regex|regexp|regular expression) {terms}"
            + _SCOPE,
            r"<SEEK> for <TEXT>{terms}" + _SCOPE,
            r"<SEEK> (?:through |in |inside )?(?:all )?(?:the )?(?:{kind} )?(?:files|code|codebase|project|repo|repository|workspace|sources?|everything|everywhere) for <TEXT>{terms}"
            + _CASE,
            r"<SEEK> (?:through |in |inside |across |within )?(?:the )?(?:<FOLDER> |file )?{dirs}(?: <FOLDER>| file)? for <TEXT>{terms}"
            + _CASE,
            r"<SEEK> <IN> (?:all )?(?:the )?{kind} files for <TEXT>{terms}" + _CASE,
            r"(?:grep)(?: -r?n?i?)? {terms}" + _SCOPE,
            r"grep(?: -r?n?)? (?P<terms>" + _WORD + r") {dirs}",
            r"(?:find|show|list|get|print|give)(?: me)? <ALL> ?<HITS> <HITWITH> <TEXT>{terms}(?: is used| appears?| occurs?)?"
            + _SCOPE,
            r"where (?:does|do) <TEXT>{terms} (?:appear|occur|show up|come up)" + _SCOPE,
            r"does <TEXT>{terms} (?:appear|occur|exist) <IN> (?:the )?{dirs}",
            r"does (?:the )?(?:file )?{dirs} (?:contain|mention|use|include|have) <TEXT>{terms}",
        ),
    ),
    (meanings.greps_phrase, (r"<SEEK> for <TEXT>{term}" + _SCOPE,)),
    (
        meanings.reads,
        (
            r"<SHOW> (?:the )?(?:whole |entire |full |complete )?(?:(?:file|files|document|contents? of|text of|content of)(?: the)?(?: files?)? )?{files}(?: files?| contents?| document)?",
            r"(?:what is|what's|whats) (?:in|inside|written in) (?:the )?(?:file )?{files}(?: file)?",
            r"what (?:does|do) (?:the )?(?:file )?{files}(?: file)? (?:say|contain|hold|look like|have in it)",
            r"(?:what is|what are|what's)? ?(?:the )?contents? of (?:the )?(?:file )?{files}(?: file)?",
        ),
    ),
    (
        meanings.greps_code,
        (
            r"(?:find|search|show|show me|list|get|are there any|are there|any|look up|what are)(?: me)? (?:for )?<ALL> ?<TEXT>{terms}(?: comments?| there are| left| markers?)?"
            + _SCOPE,
            r"where (?:is|are) (?:the )?{terms}" + _SCOPE,
            r"<ALL> ?(?:occurrences|usages|mentions) of {terms}" + _SCOPE,
        ),
    ),
    (
        meanings.reads_named,
        (
            r"<SHOW> (?:the )?(?:contents? of )?(?:the )?files? (?:named |called )?{files}",
            r"cat {files}",
        ),
    ),
)


_SEEKS = "search grep look scan check find where does show list get print give"
_SIGNS: Mapping[Callable[[Filled], Steps], str] = {
    meanings.reads_head: "first top beginning start head lines",
    meanings.reads_tail: "last bottom final end tail",
    meanings.reads_part: "line lines",
    meanings.counts_lines: "how count number line length wc",
    meanings.counts_files: "how count number",
    meanings.counts_matches: "how count number",
    meanings.counts_code: "how count",
    meanings.greps_files: "file files",
    meanings.finds_kind: "file files",
    meanings.finds_name: "file files",
    meanings.finds_definition: "defined declared implemented definition declaration implementation "
    "class function method def",
    meanings.finds_uses: "used called imported mentioned referenced instantiated use call import "
    "mention calls uses imports references usages users callers where",
    meanings.greps: _SEEKS,
    meanings.greps_phrase: _SEEKS,
}
"""Words of which a clause has at least one, where a meaning can be it: most are never compiled."""

_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


@cache
def _compiled(wording: str) -> re.Pattern[str]:
    for _ in range(2):
        wording = re.sub(r"<([A-Z]+)>", lambda found: _FRAGMENTS[found[1]], wording)
    return re.compile(re.sub(r"\{([a-z]+)\}", lambda found: _SLOTS[found[1]], wording))


def understand(text: str, masked: Masked) -> Steps:
    """The steps that one clause means; None where no wording fits it."""
    lowered = text.translate(_LOWER)
    words = frozenset(re.findall(r"[a-z]+", lowered))
    for meaning, wordings in _PHRASES:
        if meaning in _SIGNS and words.isdisjoint(_SIGNS[meaning].split()):
            continue
        for wording in wordings:
            found = _compiled(wording).fullmatch(lowered)
            steps = meaning(Filled(_groups(found, text), masked)) if found else None
            if steps:
                return steps
    return None


def _groups(found: re.Match[str], text: str) -> dict[str, str]:
    """The slots that are filled, in the letters that were typed."""
    return {
        name: text[slice(*found.span(name))]
        for name, value in found.groupdict().items()
        if value is not None
    }


__all__ = ["understand"]
