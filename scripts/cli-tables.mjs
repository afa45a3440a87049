/**
 * docs/reference/cli.md with the options of every command between `<!-- options of <command> -->` and `<!-- end of options -->`.
 * @param commands of commander; `tidegate data import` is named `data import`.
 */
export function withOptionTables(page, commands) {
  return page.replace(/(<!-- options of ([a-z ]+) -->\n)[\s\S]*?(<!-- end of options -->)/g, (_, start, name, end) => {
    const command = allCommands(commands).find((one) => one.name === name);
    if (command === undefined) throw new Error(`docs/reference/cli.md: no command ${name}`);
    return `${start}\n${tableOf(command.options)}\n${end}`;
  });
}

/** Every command that does something, by its name. */
export function allCommands(commands, before = '') {
  return commands.flatMap((command) => {
    const name = `${before}${command.name()}`;
    const below = allCommands(command.commands, `${name} `);
    // One that takes an argument does something itself, too.
    return below.length === 0 || command.registeredArguments.length > 0 ? [{ name, options: command.options }, ...below] : below;
  });
}

function tableOf(options) {
  const rows = options.map(({ flags, description, defaultValue, argChoices }) => {
    const choices = argChoices === undefined ? '' : `; one of ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`;
    const fallback = defaultValue === undefined || defaultValue === false ? '' : ` (default: \`${defaultValue}\`)`;
    return `| \`${flags}\` | ${marked(description)}${choices}${fallback} |`;
  });
  return ['| option | meaning |', '|---|---|', ...rows, ''].join('\n');
}

/** Placeholders such as `<name>` are code: Markdown would drop them. */
function marked(text) {
  return text.replaceAll('|', '\\|').replace(/(?<!`)[\w./-]*<[\w -]+>[\w./<>-]*(?!`)/g, '`$&`');
}
