"""Objects of a session: a class for each kind, with a method for each command that takes one.

    m, t = lab["m"], lab["t"]
    m.train(on=t, steps=200, length=(1, 9))        train m on t steps=200 length=1..9
    lab["a"].words(length=(1, 3))                  words a length=1..3
    m.save("m.safetensors", as_="pytorch")         save m "m.safetensors" as=pytorch
    m.extract("x", on=t)                           extract x from m on t: the object has its own place

Operands stand in their order; those behind a word of the command may be named by it.  All other
names are options.  What these methods are comes from the program's own table.
"""
import json
import re


class Handle:
    """Something in a session that has a name."""

    def __init__(self, lab, name):
        self.lab, self.name = lab, name

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"


def written(value, raw=True):
    """A value as it is typed; raw: a text is what the language reads, not a string."""
    if isinstance(value, Handle):
        return value.name
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, range)):
        return f"{value[0]}..{value[-1]}"
    text = str(value)
    return text if not isinstance(value, str) or raw or re.fullmatch(r"\w+", text) else json.dumps(text, ensure_ascii=False)


def operand(arg, value):
    text = written(value, arg["raw"] or bool(arg["kinds"]))
    expression = "automaton" in arg["kinds"] and not re.fullmatch(r"\w+|\(.*\)", text)
    return f"({text})" if expression else text


def fill(form, own, kind, values, named):
    """The operands as typed, and how many places of the form were taken."""
    values, named, out, word = list(values), dict(named), [], None
    for i, arg in enumerate(form):
        behind = form[i + 1] if i + 1 < len(form) else None
        if arg["keyword"]:
            given = arg["name"] in named
            word = None if given or not arg["optional"] else "skipped"
            if word:
                continue
            out.append(arg["name"])
            if given and behind and not behind["keyword"]:
                values.insert(0, named.pop(arg["name"]))
            elif given and named.pop(arg["name"]) is not True:
                raise TypeError(f"{arg['name']}= has no operand: True")
        elif own is not None and kind in arg["kinds"]:
            out.append(own.name)
            own = None
        elif word == "skipped" and arg["optional"] or not values and arg["optional"]:
            word = None
        elif not values:
            raise TypeError(f"{arg['name']} is missing")
        else:
            take = len(values) if arg["repeated"] else 1
            out += [operand(arg, v) for v in values[:take]]
            del values[:take]
    if values:
        raise TypeError(f"{len(values)} operands too many")
    return out, named


def method(command, kind):
    forms = [f for f in command["forms"] if any(kind in a["kinds"] for a in f)]

    def call(self, *values, told=None, **named):
        named = {k[:-1] if k.endswith("_") else k: v for k, v in named.items()}
        words = lambda f: sum(a["keyword"] and a["name"] in named for a in f)  # noqa: E731
        why = None
        for form in sorted(forms, key=words, reverse=True):
            try:
                operands, options = fill(form, self, kind, values, named)
            except TypeError as e:
                why = why or e
                continue
            more = [f"{k}={written(v, False)}" for k, v in options.items()]
            return self.lab.run(" ".join([command["name"], *operands, *more]), told)
        raise why

    call.__name__ = command["name"].replace(" ", "_")
    call.__doc__ = command["summary"]
    return call


def classes(commands):
    """A class for each kind of object that a command takes."""
    kinds = {k for c in commands for f in c["forms"] for a in f for k in a["kinds"]}
    return {kind: type(kind.title().replace("-", ""), (Handle,),
                       {m.__name__: m for m in (method(c, kind) for c in commands
                                                if any(kind in a["kinds"] for f in c["forms"] for a in f))})
            for kind in kinds}
