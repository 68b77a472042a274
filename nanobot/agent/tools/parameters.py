"""The parameters of a typed function: their schema, and JSON arguments made into its values.

The only module that imports pydantic for tools; `function.py` imports it when `@tool` is used.
"""

from __future__ import annotations

import inspect
import sys
import types
from dataclasses import dataclass, is_dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticSerializationError, to_jsonable_python

from nanobot.agent.tools.context import RequestContext, ToolContext, current_request_context
from nanobot.agent.tools.docstring import read_docstring
from nanobot.agent.tools.faults import shown_faults
from nanobot.agent.tools.result import ToolResult
from nanobot.agent.tools.typeddict import readable_type
from nanobot.errors import InvalidArguments, ToolSetupError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_CONTEXTS = (ToolContext, RequestContext)
_PLAIN = (str, int, float, bool, type(None))


class _SchemaWriter(GenerateJsonSchema):
    """Writes no titles, which would only repeat the names, and no word about odd defaults."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012  # pydantic's attribute

    def field_title_should_be_set(self, schema: object) -> bool:  # noqa: ARG002
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionParameters:
    """What one function takes and returns. Make it with `FunctionParameters.of`."""

    tool_name: str
    description: str
    schema: dict[str, Any]
    output_schema: dict[str, Any] | None
    model: type[BaseModel]
    fields: Mapping[str, str]
    """Each parameter a model fills → its field in `model`."""
    contexts: Mapping[str, tuple[type, bool]]
    """Each parameter that the host fills → its type, and whether it may be None."""
    positional: tuple[str, ...]
    """Positional-only parameters, in order."""

    @classmethod
    def of(cls, function: Callable[..., Any], tool_name: str) -> FunctionParameters:
        """Read a function's signature, annotations and docstring.

        Raises:
            ToolSetupError: a parameter that no JSON argument can fill; the place names it.
        """
        place = getattr(function, "__qualname__", tool_name)
        hints = _hints(function, place)
        doc = read_docstring(function.__doc__ or "")
        fields: dict[str, str] = {}
        contexts: dict[str, tuple[type, bool]] = {}
        annotated: dict[str, Any] = {}
        parameters = _parameters(function, place)
        for parameter in parameters:
            hint = hints.get(parameter.name, Any)
            context = _context_type(hint)
            if context is not None:
                kind, optional = context
                contexts[parameter.name] = kind, optional or parameter.default is None
                continue
            field = f"field_{len(fields)}"
            fields[parameter.name] = field
            annotated[field] = _field(
                parameter, readable_type(hint), doc.parameters.get(parameter.name)
            )
        model = _model(annotated, fields, place)
        return cls(
            tool_name=tool_name,
            description=doc.description,
            schema=_schema(model, place),
            output_schema=_output_schema(hints.get("return")),
            model=model,
            fields=fields,
            contexts=contexts,
            positional=tuple(p.name for p in parameters if p.kind is p.POSITIONAL_ONLY),
        )

    def arguments(
        self, given: Mapping[str, object], context: ToolContext | None
    ) -> tuple[list[Any], dict[str, Any]]:
        """JSON arguments as the function wants them: positional ones, and the rest by name.

        Raises:
            InvalidArguments: an annotation refuses a value.
        """
        try:
            values = self.model.__pydantic_validator__.validate_python(given)
        except ValidationError as error:
            raise _invalid(error, self.tool_name) from error
        named = {name: getattr(values, field) for name, field in self.fields.items()}
        for name, (kind, optional) in self.contexts.items():
            found = context if kind is ToolContext else current_request_context()
            named[name] = kind() if found is None and not optional else found
        return [named.pop(name) for name in self.positional], named

    def jsonable(self, result: object) -> object:
        """What the function returned, as JSON values: models, dataclasses, enums and dates too.

        Text, `ToolResult` and plain values stay as they are.

        Raises:
            TypeError: a value that has no JSON form.
        """
        if isinstance(result, ToolResult) or type(result) in _PLAIN:
            return result
        try:
            return to_jsonable_python(result, by_alias=True)
        except (PydanticSerializationError, ValueError) as error:
            kind = type(result).__name__
            raise TypeError(f"it returned a {kind}, which has no JSON form: {error}") from error


def _parameters(function: Callable[..., Any], place: str) -> list[inspect.Parameter]:
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ToolSetupError("a tool returns its result; this function yields", place=place)
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError) as error:
        raise ToolSetupError(f"its signature can't be read: {error}", place=place) from error
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            stars = "*" if parameter.kind is parameter.VAR_POSITIONAL else "**"
            raise ToolSetupError(
                "a model can't be told what it takes",
                place=f"{place}, parameter '{stars}{parameter.name}'",
                hint="Name each parameter, or take one list or dict.",
            )
    first = parameters[0] if parameters else None
    if first and first.name in ("self", "cls") and first.annotation is first.empty:
        raise ToolSetupError(
            "it is a method without its object",
            place=f"{place}, parameter '{first.name}'",
            hint="Make the tool of the bound method: tool(thing.method).",
        )
    return parameters


def _hints(function: Callable[..., Any], place: str) -> dict[str, Any]:
    """The annotations as types. Names local to where the tool is made are found too."""
    plain = inspect.unwrap(function)
    target = getattr(plain, "func", plain)
    if not hasattr(target, "__annotations__"):
        target = getattr(type(target), "__call__", target)  # noqa: B004  # an object with __call__
    try:
        return get_type_hints(target, include_extras=True)
    except Exception:  # noqa: BLE001  # an annotation is code; tried again with local names
        names = _local_names()
    try:
        return get_type_hints(target, localns=names, include_extras=True)
    except Exception as error:
        raise ToolSetupError(
            f"an annotation can't be read: {error}",
            place=place,
            hint="Import the type at run time, not under TYPE_CHECKING.",
        ) from error


def _local_names() -> dict[str, Any]:
    """The local names around the place where the tool is made, the innermost winning."""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001  # documented, CPython and PyPy
    while frame is not None and frame.f_globals.get("__name__", "").startswith(__package__ + "."):
        frame = frame.f_back
    names: dict[str, Any] = {kind.__name__: kind for kind in _CONTEXTS}
    while frame is not None and frame.f_code.co_name != "<module>":
        names = {**frame.f_locals, **names}
        frame = frame.f_back
    return names


def _context_type(hint: Any) -> tuple[type, bool] | None:
    """The context type a parameter asks for, and whether it takes None; None for any other."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if hint in _CONTEXTS:
        return hint, False
    if get_origin(hint) in (Union, types.UnionType):
        named = [kind for kind in get_args(hint) if kind in _CONTEXTS]
        return (named[0], type(None) in get_args(hint)) if named else None
    return None


def _field(parameter: inspect.Parameter, hint: Any, documented: str | None) -> tuple[Any, Any]:
    """A pydantic field under the parameter's own name as alias, so that any name is right.

    What the author says in `Field(...)` stands behind it and wins.
    """
    plain, extras = hint, ()
    if get_origin(hint) is Annotated:
        plain, *rest = get_args(hint)
        extras = tuple(rest)
    described = Field(alias=parameter.name, description=_annotated_text(extras) or documented)
    default = ... if parameter.default is parameter.empty else parameter.default
    return Annotated[(plain, described, *extras)], default


def _annotated_text(extras: tuple[Any, ...]) -> str | None:
    """The plain text in `Annotated[T, "text"]`, or that of a PEP 727 `Doc`."""
    for extra in extras:
        text = extra if isinstance(extra, str) else getattr(extra, "documentation", None)
        if isinstance(text, str):
            return inspect.cleandoc(text)
    return None


def _model(annotated: dict[str, Any], fields: Mapping[str, str], place: str) -> type[BaseModel]:
    config = ConfigDict(extra="forbid")
    try:
        return create_model("Arguments", __config__=config, **annotated)
    except (PydanticUserError, TypeError, NameError) as error:
        culprit = _culprit(annotated, fields)
        where = f"{place}, parameter '{culprit}'" if culprit else place
        first_line = str(error).splitlines()[0]
        raise ToolSetupError(f"its type has no JSON form: {first_line}", place=where) from error


def _culprit(annotated: dict[str, Any], fields: Mapping[str, str]) -> str:
    for name, field in fields.items():
        try:
            create_model("Alone", **{field: annotated[field]})
        except Exception:  # noqa: BLE001  # whatever it is, this is the one
            return name
    return ""


def _schema(model: type[BaseModel], place: str) -> dict[str, Any]:
    try:
        schema = model.model_json_schema(schema_generator=_SchemaWriter)
    except PydanticUserError as error:
        first_line = str(error).splitlines()[0]
        raise ToolSetupError(f"a type has no JSON Schema: {first_line}", place=place) from error
    return _untitled(schema)


def _untitled(schema: dict[str, Any]) -> dict[str, Any]:
    """Without the titles that only repeat a class name."""
    schema.pop("title", None)
    for key, part in schema.get("$defs", {}).items():
        if part.get("title") and key.endswith(part["title"]):
            del part["title"]
    return schema


def _output_schema(hint: Any) -> dict[str, Any] | None:
    """The schema of a structured return type: a model, a dataclass, a TypedDict."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    structured = isinstance(hint, type) and (
        issubclass(hint, BaseModel) or is_dataclass(hint) or is_typeddict(hint)
    )
    if not structured:
        return None
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(readable_type(hint))
        schema = adapter.json_schema(schema_generator=_SchemaWriter, mode="serialization")
    except PydanticUserError:
        return None  # it may still be returned, as text
    return _untitled(schema)


def _invalid(error: ValidationError, tool_name: str) -> InvalidArguments:
    faults = [
        f"{_path(fault['loc'])}: {_reason(fault)}" for fault in error.errors(include_url=False)
    ]
    return InvalidArguments.of(tool_name, shown_faults(faults))


def _reason(fault: Mapping[str, Any]) -> str:
    text = str(fault["msg"])
    return text.removeprefix("Value error, ").removeprefix("Assertion failed, ")


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        if isinstance(part, int):
            path += f"[{part}]"
        else:
            path += f".{part}" if path else part
    return path or "parameter"


__all__ = ["FunctionParameters"]
