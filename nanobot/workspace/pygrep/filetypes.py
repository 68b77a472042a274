"""Kinds of files by their names: the common ones of ripgrep's. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nanobot.workspace.globs import Glob
from nanobot.workspace.pygrep.wish import BadUsage

if TYPE_CHECKING:
    from collections.abc import Sequence

_TYPES = {
    "c": "*.[chH] *.[chH].in *.cats",
    "cmake": "*.cmake CMakeLists.txt",
    "config": "*.cfg *.conf *.config *.ini",
    "cpp": "*.[ChH] *.[ChH].in *.[ch]pp *.[ch]pp.in *.[ch]xx *.[ch]xx.in *.cc *.cc.in *.hh *.hh.in "
    "*.inl",
    "cs": "*.cs",
    "csharp": "*.cs",
    "css": "*.css *.scss",
    "csv": "*.csv",
    "dart": "*.dart",
    "docker": "*Dockerfile*",
    "elixir": "*.ex *.eex *.exs *.heex *.leex *.livemd",
    "go": "*.go",
    "h": "*.h *.hh *.hpp",
    "haskell": "*.hs *.lhs *.cpphs *.c2hs *.hsc",
    "html": "*.htm *.html *.ejs",
    "java": "*.java *.jsp *.jspx *.properties",
    "js": "*.js *.jsx *.vue *.cjs *.mjs",
    "json": "*.json composer.lock *.sarif",
    "jupyter": "*.ipynb *.jpynb",
    "kotlin": "*.kt *.kts",
    "less": "*.less",
    "log": "*.log",
    "lua": "*.lua",
    "make": "[Gg][Nn][Uu]makefile [Mm]akefile [Gg][Nn][Uu]makefile.am [Mm]akefile.am *.mk *.mak",
    "markdown": "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx",
    "md": "*.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx",
    "perl": "*.perl *.pl *.PL *.plh *.plx *.pm *.t",
    "php": "*.php *.php3 *.php4 *.php5 *.php7 *.php8 *.pht *.phtml",
    "protobuf": "*.proto",
    "py": "*.py *.pyi",
    "python": "*.py *.pyi",
    "r": "*.R *.r *.Rmd *.rmd *.Rnw *.rnw",
    "rst": "*.rst",
    "ruby": "*.rb *.rbw *.gemspec Gemfile .irbrc Rakefile config.ru",
    "rust": "*.rs",
    "sass": "*.sass *.scss",
    "scala": "*.scala *.sbt",
    "sh": "*.sh *.bash *.zsh *.ksh *.csh *.tcsh *.bashrc .bashrc .profile .zshrc",
    "sql": "*.sql *.psql",
    "svelte": "*.svelte *.svelte.ts",
    "svg": "*.svg",
    "swift": "*.swift",
    "tex": "*.tex *.ltx *.cls *.sty *.bib *.dtx *.ins",
    "tf": "*.tf *.tf.json *.tfvars *.tfvars.json",
    "toml": "*.toml Cargo.lock",
    "ts": "*.ts *.tsx *.cts *.mts",
    "typescript": "*.ts *.tsx *.cts *.mts",
    "txt": "*.txt",
    "vue": "*.vue",
    "xml": "*.xml *.xml.dist *.dtd *.xsl *.xslt *.xsd *.xjb *.rng *.sch *.xhtml",
    "yaml": "*.yaml *.yml",
    "zig": "*.zig",
}


def globs_of(types: Sequence[str], added: Sequence[str]) -> list[Glob]:
    """The globs of these types; `added` are `NAME:GLOB`.

    Raises:
        BadUsage: a type that is not known.
    """
    known = {name: globs.split() for name, globs in _TYPES.items()}
    for text in added:
        name, _, glob = text.partition(":")
        known.setdefault(name, []).append(glob)
    found: list[Glob] = []
    for name in types:
        if name not in known:
            raise BadUsage(f"unrecognized file type: {name}")
        found += [Glob(glob) for glob in known[name]]
    return found


__all__ = ["globs_of"]
