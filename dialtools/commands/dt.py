"""List the commands of dialtools, or print their shell completion.

dt COMMAND runs a command: dt score is dt-score.  The first eight do what most
people need.  dt COMMAND --help tells all about one of them, and so does its man
page.
With one of these lines in ~/.bashrc, ~/.zshrc or
~/.config/fish/config.fish the shell completes options and plug-ins:

  source <(dt --completion bash)
  source <(dt --completion zsh)
  dt --completion fish | source

Memory: none to speak of.

Examples:

$ dt | grep -o 'dt-perturb .*'
dt-perturb     Vary dialogues as people naturally do: typos, greetings, joined turns.
"""

from itertools import chain

import click

from dialtools.pipeline import cli
from dialtools.plugins import registry
from dialtools.system.errors import nearest
from dialtools.system.files import STANDARD, open_output

SHELLS = ("bash", "zsh", "fish")
THEMES = {
    "First": "convert check join swap-names perturb generate score ttest",
    "To look at": "show report",
    "Data": "clean select template parse resegment",
    "Words and names": "names keywords",
    "Models": "train cluster",
    "Long runs": "merge",
}
OTHERS = "Others"


def commands() -> dict[str, str]:
    """Return {command: summary} from file names and first lines, without imports."""
    names = [name for name in registry.names("commands") if name != "dt"]
    return {f"dt-{name.replace('_', '-')}": registry.summary("commands", name) for name in names}


def completer(shell: str) -> str:
    """Return the script that makes a shell complete the options and plug-ins of every command."""
    from click.shell_completion import BashComplete, FishComplete, ZshComplete

    kind = {"bash": BashComplete, "zsh": ZshComplete, "fish": FishComplete}[shell]
    completions = [
        kind(main, {}, name, f"_{name.replace('-', '_').upper()}_COMPLETE")
        for name in ("dt", *commands())
    ]
    # Not source(), which runs bash once a command to learn its version.
    return "\n".join(each.source_template % each.source_vars() for each in completions)


def listing() -> str:
    """Return the commands by themes, a line each."""
    summaries = commands()
    width = max(map(len, summaries))
    themes = {theme: [f"dt-{name}" for name in names.split()] for theme, names in THEMES.items()}
    themes[OTHERS] = [
        name for name in summaries if name not in chain.from_iterable(themes.values())
    ]
    return "\n".join(
        f"{theme}:\n" + "".join(f"  {name:{width}}  {summaries[name]}\n" for name in names)
        for theme, names in themes.items()
        if names
    )


class Name(click.ParamType):
    """The name of a command, without its dt-."""

    name = "command"

    def convert(self, value, param, ctx):
        names = [name.removeprefix("dt-") for name in commands()]
        raise click.UsageError(
            f"no command is called {value!r}{nearest(value, names)}; dt lists them", ctx
        )

    def shell_complete(self, ctx, param, incomplete):
        from click.shell_completion import CompletionItem

        summaries = {name.removeprefix("dt-"): summary for name, summary in commands().items()}
        return [
            CompletionItem(name, help=summary)
            for name, summary in summaries.items()
            if name.startswith(incomplete)
        ]


@cli.command(
    "dt",
    click.argument("name", metavar="[COMMAND]", required=False, type=Name()),
    click.option(
        "--completion",
        type=click.Choice(SHELLS),
        help="Print the script that completes all commands in this shell.",
    ),
)
def main(name: None, completion: str | None) -> None:
    with open_output(STANDARD) as file:
        file.write((completer(completion) if completion else listing()).encode())
        file.flush()
