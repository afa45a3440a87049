import type { Command } from 'commander';
import { rebuildReport } from '../report/write-report.ts';

/** `tidegate report <run>`: the page of a run that was, as this version draws it. */
export function addReportCommand(program: Command, print: (line: string) => void): void {
  program
    .command('report')
    .description("make a run's report.html anew from its report.json")
    .argument('<run>', 'folder of the run, e.g. runs/sma-cross-1')
    .option('--json', 'print {"report": path} instead of a line')
    .addHelpText('after', '\nExample:\n  $ npx tidegate report runs/sma-cross-1\n')
    .action(async (run: string, { json = false }: { json?: boolean }) => {
      const report = await rebuildReport(run);
      print(json ? JSON.stringify({ report }) : `Report: ${report}`);
    });
}
