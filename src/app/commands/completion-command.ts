import { Argument, type Command } from 'commander';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** `tidegate completion <shell>`: prints a script that completes commands, options and their values. */
export function addCompletionCommand(program: Command, print: (line: string) => void): void {
  program
    .command('completion')
    .description('Print a script that completes commands, options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  $ echo 'eval "$(npx tidegate completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(npx tidegate completion zsh)"' >> ~/.zshrc
  $ npx tidegate completion fish > ~/.config/fish/completions/tidegate.fish

In a project, where the program is called with npx: alias tidegate='npx tidegate'
`,
    )
    .action((shell: Shell) => print(completionScript(program, shell)));
}

/** The words that can follow those of a command. */
interface Place {
  /** The words of the command without the program: empty, or `data import`. */
  readonly at: string;
  /** Commands that follow, with what they do. */
  readonly commands: readonly Word[];
  readonly options: readonly OptionWord[];
}

interface Word {
  readonly word: string;
  readonly meaning: string;
}

interface OptionWord extends Word {
  readonly takesValue: boolean;
  readonly values: readonly string[];
}

/** The script of a shell for all commands of a program. */
export function completionScript(program: Command, shell: Shell): string {
  const places = placesOf(program, '');
  switch (shell) {
    case 'bash':
      return bashScript(places);
    case 'zsh':
      return zshScript(places);
    case 'fish':
      return fishScript(places);
    default:
      return shell satisfies never;
  }
}

function placesOf(command: Command, at: string): Place[] {
  const commands = command.commands.map((one) => ({ word: one.name(), meaning: firstSentence(one.description()) }));
  const options = command.options.flatMap(({ long, description, argChoices = [], required, optional }): OptionWord[] =>
    long === undefined || long === null
      ? []
      : [{ word: long, meaning: firstSentence(description), takesValue: required || optional, values: argChoices }],
  );
  const help = { word: '--help', meaning: 'show help', takesValue: false, values: [] };
  // The arguments of some commands have a list of values as well.
  const named = command.registeredArguments.flatMap(({ argChoices = [], description }) =>
    argChoices.map((word) => ({ word, meaning: description })),
  );
  const own: Place = { at, commands: [...commands, ...named], options: [...options, help] };
  return [own, ...command.commands.flatMap((one) => placesOf(one, at === '' ? one.name() : `${at} ${one.name()}`))];
}

function firstSentence(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/(?<=[a-z)]{2})[.:;(] .*$/, '')
    .replace(/ \([^)]*$/, '')
    .replace(/\.$/, '')
    .trim();
}

/** Text in single quotes, for any of the shells. */
function quoted(text: string, mark: string): string {
  return `'${text.replaceAll("'", mark)}'`;
}

const wordsOf = (words: readonly Word[]) => words.map(({ word }) => word).join(' ');
/** Lines of a case statement for the options with a value. */
const valueCases = (places: readonly Place[], reply: (values: readonly string[]) => string, open: string) =>
  places.flatMap(({ at, options }) =>
    options.filter(({ takesValue }) => takesValue).map(({ word, values }) => `    ${open}"${at} ${word}") ${reply(values)} return ;;`),
  );

function bashScript(places: readonly Place[]): string {
  const known = places.filter(({ at }) => at !== '').map(({ at }) => `"${at}"`);
  return `# In ~/.bashrc: eval "$(npx tidegate completion bash)"
_tidegate() {
  local at='' word words='' options='' cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]}
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    word="\${at:+$at }$word"
    case "$word" in ${known.join('|')}) at=$word ;; esac
  done
  COMPREPLY=()
  case "$at $prev" in
${valueCases(places, (values) => (values.length === 0 ? '' : `COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$cur"));`), '').join('\n')}
  esac
  case "$at" in
${places.map(({ at, commands, options }) => `    "${at}") words="${wordsOf(commands)}" options="${wordsOf(options)}" ;;`).join('\n')}
  esac
  [[ $cur == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o bashdefault -o default -F _tidegate tidegate`;
}

function zshScript(places: readonly Place[]): string {
  const known = places.filter(({ at }) => at !== '').map(({ at }) => `"${at}"`);
  const described = (words: readonly Word[]) =>
    words.map(({ word, meaning }) => quoted(`${word}:${meaning.replaceAll(':', ' ')}`, `'\\''`)).join(' ');
  return `#compdef tidegate
# In ~/.zshrc: eval "$(npx tidegate completion zsh)"
_tidegate() {
  local at='' word
  local -a found options
  for word in \${words[2,CURRENT-1]}; do
    word="\${at:+$at }$word"
    case "$word" in (${known.join('|')}) at=$word ;; esac
  done
  case "$at \${words[CURRENT-1]}" in
${valueCases(places, (values) => (values.length === 0 ? '_files;' : `compadd -- ${values.join(' ')};`), '(').join('\n')}
  esac
  case "$at" in
${places.map(({ at, commands, options }) => `    ("${at}") found=(${described(commands)}) options=(${described(options)}) ;;`).join('\n')}
  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  elif (( $#found )); then _describe command found
  else _files
  fi
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }
compdef _tidegate tidegate`;
}

function fishScript(places: readonly Place[]): string {
  const text = (words: string) => quoted(words, `\\'`);
  const known = places.filter(({ at }) => at !== '').map(({ at }) => text(at));
  const lines = places.flatMap(({ at, commands, options }) => {
    const here = `complete -c tidegate -n ${text(`__tidegate_at "${at}"`)}`;
    return [
      ...commands.map(({ word, meaning }) => `${here} -f -a ${word} -d ${text(meaning)}`),
      ...options.map(({ word, meaning, takesValue, values }) => {
        const value = values.length > 0 ? ` -x -a ${text(values.join(' '))}` : takesValue ? ' -r' : '';
        return `${here} -l ${word.slice(2)}${value} -d ${text(meaning)}`;
      }),
    ];
  });
  return `# npx tidegate completion fish > ~/.config/fish/completions/tidegate.fish
function __tidegate_at
  set -l at ''
  for word in (commandline -opc)[2..]
    set -l next (string trim -- "$at $word")
    contains -- $next ${known.join(' ')}; and set at $next
  end
  test "$at" = "$argv[1]"
end
${lines.join('\n')}`;
}
