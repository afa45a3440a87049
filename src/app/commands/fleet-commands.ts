import type { Command } from 'commander';
import { writeStyled } from '../terminal/guarded-output.ts';
import { terminalLook } from '../terminal/terminal-look.ts';

const HELP = `
Each row has the state of a bot with its proof; sums are those of the rows that have figures, by mode and currency. Nothing is changed.

Examples:
  $ npx tidegate bots
  $ npx tidegate bots configs/my-bot.yaml /srv/bots --json
`;

/** Registers `bots`. Its module is loaded when the command runs. */
export function addBotsCommand(program: Command, print: (line: string) => void): void {
  program
    .command('bots')
    .description('List the bots of configs and folders with their states, and the sums of their figures.')
    .argument('[paths...]', 'configs of bots, and folders that have bots up to three levels below (default: this folder)')
    .option('--json', 'print the bots as one JSON object')
    .addHelpText('after', HELP)
    .action(async (paths: readonly string[], { json }: { readonly json?: boolean }) => {
      const { fleetJson, fleetText, lookAtFleet } = await import('../fleet/list-bots.ts');
      const fleet = await lookAtFleet(paths.length === 0 ? ['.'] : paths, Date.now());
      if (json === true) print(JSON.stringify(fleetJson(fleet)));
      else writeStyled(process.stdout, `${fleetText(fleet, terminalLook())}\n`);
    });
}
