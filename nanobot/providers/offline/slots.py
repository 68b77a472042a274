"""What the words of a request stand for: files, folders, kinds of file, search terms, numbers."""

from __future__ import annotations

import re

from nanobot.providers.offline.sentences import CHANGE_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SPOKEN_FILES = {
    "readme": "README.md",
    "license": "LICENSE",
    "licence": "LICENSE",
    "changelog": "CHANGELOG.md",
    "makefile": "Makefile",
    "dockerfile": "Dockerfile",
}
_BARE_FILES = _words(
    "LICENSE LICENCE COPYING NOTICE AUTHORS CODEOWNERS CONTRIBUTING MAINTAINERS CHANGELOG VERSION "
    "INSTALL Makefile Dockerfile Justfile Procfile Gemfile Rakefile Jenkinsfile Pipfile "
    "Vagrantfile"
)
_FILE = re.compile(r"[\w./\\~@+#-]*[\w/\\]\.[A-Za-z_][\w-]{0,15}|\.[A-Za-z][\w.-]*")
_EXTENSION = re.compile(
    r"\.(?:py|pyi|md|rst|txt|toml|json|jsonl|ya?ml|cfg|ini|lock|log|csv|tsv|xml|html?|css|jsx?|mjs"
    r"|cjs|tsx?|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|sh|bash|sql|db|pdf|docx?|xlsx?|pptx?|ipynb"
    r"|png|jpe?g|gif|svg|webp|zip|gz|tar|env|gitignore|dockerignore|editorconfig)",
    re.IGNORECASE,
)
_DEEP = re.compile(r"[\w.~@+#-]*(?:[/\\][\w.@+#-]+)+")
_FOLDER = re.compile(r"[\w.~@+#/\\-]*\w[\w.~@+#/\\-]*|\.{1,2}/?")
_POINTERS = _words(
    "it them that this these those each all both everything one ones him her here there any some "
    "which what something anything whatever the a an"
)
_NO_FOLDERS = _POINTERS | _words(
    "functions function classes class methods method imports dependencies commands bugs errors "
    "variables steps issues branches commits changes todos tools options problems features "
    "endpoints routes users processes packages packages ideas reasons people mistakes names things "
    "files folders directories me us you detail details order general particular"
)
_VAGUE = _words(
    "bugs bug errors error problems problem issues issue mistakes typos duplicates ways way out "
    "vulnerabilities security anything something everything things stuff me it them that this "
    "these those help code good bad best fun information info examples example answers answer "
    "reason reasons cause causes why how what where who when secrets you"
)
_LOOSE = _words(
    "that which where how why all with who is are was any every the a an to of for by into about "
    "from on and or then it them this these those i you we should can could would"
)
_CODE_LIKE = re.compile(r"[\w.:#@$<>()\[\]=*+/-]*(?:[A-Z_]|[a-z]\w*\()[\w.:#@$<>()\[\]=*+/-]*")
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_GLOB = re.compile(r"[*?\[{]")
_NUMBERS = {
    word: number
    for number, word in enumerate(
        (
            *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
            *("eighteen", "nineteen", "twenty"),
        ),
        1,
    )
}
_KINDS = {
    "python": "*.py",
    "py": "*.py",
    "markdown": "*.md",
    "md": "*.md",
    "json": "*.json",
    "jsonl": "*.jsonl",
    "yaml": "*.{yaml,yml}",
    "yml": "*.{yaml,yml}",
    "toml": "*.toml",
    "text": "*.txt",
    "txt": "*.txt",
    "csv": "*.csv",
    "xml": "*.xml",
    "html": "*.html",
    "css": "*.css",
    "javascript": "*.js",
    "js": "*.js",
    "typescript": "*.ts",
    "ts": "*.ts",
    "tsx": "*.tsx",
    "rust": "*.rs",
    "rs": "*.rs",
    "go": "*.go",
    "java": "*.java",
    "c": "*.c",
    "c++": "*.{cpp,cc,cxx,hpp}",
    "cpp": "*.{cpp,cc,cxx,hpp}",
    "ruby": "*.rb",
    "shell": "*.sh",
    "sh": "*.sh",
    "sql": "*.sql",
    "log": "*.log",
    "pdf": "*.pdf",
    "word": "*.docx",
    "excel": "*.xlsx",
    "image": "*.{png,jpg,jpeg,gif,webp,svg}",
    "svg": "*.svg",
    "png": "*.png",
    "ini": "*.ini",
    "lock": "*.lock",
}
_CHANGES = frozenset(CHANGE_WORDS.split())


def file_path(word: str, *, quoted: bool, named: bool = False) -> str | None:
    """A word as a file: one that looks like it, any that is quoted or called a file."""
    if not word.strip() or "\n" in word:
        return None
    if quoted:
        return word
    bare = bare_file(word)
    if bare is not None:
        return bare
    if word.startswith(("http:", "https:")) or word.endswith(("/", "\\")):
        return None
    if _FILE.fullmatch(word) or _DEEP.fullmatch(word):
        return word
    return word if named and _FOLDER.fullmatch(word) and word.lower() not in _POINTERS else None


def bare_file(word: str) -> str | None:
    """A file that is known without an ending: `Makefile`, *the readme*."""
    return word if word in _BARE_FILES else _SPOKEN_FILES.get(word.lower())


def folder_path(word: str, *, quoted: bool) -> str | None:
    """A word as a folder or, behind *in*, a file: any but a pronoun or a thing of speech."""
    if not word.strip() or "\n" in word:
        return None
    if quoted:
        return word
    return word if _FOLDER.fullmatch(word) and word.lower() not in _NO_FOLDERS else None


def listed_path(word: str, *, quoted: bool) -> str | None:
    """A word as a folder to list: none that is written as a file."""
    if bare_file(word) is not None or has_extension(word):
        return None
    return folder_path(word, quoted=quoted)


def has_extension(word: str) -> bool:
    """Whether a word ends like a file of a common kind."""
    dot = word.rfind(".")
    return dot >= 0 and _EXTENSION.fullmatch(word[dot:]) is not None


def kind_glob(word: str) -> str | None:
    """The glob of a kind of file: `python`, `.py`, `*.py`."""
    if re.fullmatch(r"\*?\.\w+", word):
        return "*" + word.removeprefix("*")
    return word if _GLOB.search(word) else _KINDS.get(word.lower())


def has_glob(word: str) -> bool:
    """Whether a word is a glob rather than a name."""
    return _GLOB.search(word) is not None


def number(word: str) -> int | None:
    """A number of lines in digits or words, from 1 to 999999."""
    if word.isascii() and word.isdigit() and len(word) <= 6:  # noqa: PLR2004  # enough lines
        return int(word) or None
    return _NUMBERS.get(word.lower())


def search_term(words: str, *, quoted: bool) -> str | None:
    """What is searched for behind *search for*: quoted, one word, or up to three plain ones."""
    if not words.strip() or "\n" in words:
        return None
    if quoted:
        return words
    each = words.split()
    if len(each) == 1:
        return None if words.lower() in _VAGUE else marker(words)
    if len(each) > 3 or any(word.lower() in _LOOSE | _VAGUE for word in each):  # noqa: PLR2004  # a phrase, no sentence
        return None
    return words if all(word.isascii() for word in each) else None


def code_term(words: str, *, quoted: bool) -> str | None:
    """What is searched for where nothing says so: quoted, or a word only code has."""
    if quoted:
        return search_term(words, quoted=True)
    if not _CODE_LIKE.fullmatch(words) or words.lower() in _CHANGES:
        return None
    return search_term(words, quoted=False)


def code_name(word: str, *, quoted: bool) -> str | None:
    """A name as code has it: `ToolRegistry`, `os.path.join`, `run()`."""
    bare = word.removesuffix("()")
    if not _NAME.fullmatch(bare) or (not quoted and bare.lower() in _VAGUE | _POINTERS):
        return None
    return bare


def marker(word: str) -> str:
    """`TODOs` and `FIXMEs` are written `TODO` and `FIXME`."""
    return word[:-1] if re.fullmatch(r"[A-Z]{3,}s", word) else word


__all__ = [
    "bare_file",
    "code_name",
    "code_term",
    "file_path",
    "folder_path",
    "has_extension",
    "has_glob",
    "kind_glob",
    "listed_path",
    "marker",
    "number",
    "search_term",
]
