import type { Finding } from '../statistics/diagnosis/finding.ts';
import type { RunReport } from './run-report.ts';
import { plainLine, TerminalTable } from './terminal-table.ts';
import { wrap } from './wrap.ts';

interface Look {
  readonly columns?: number;
  readonly color?: boolean;
  readonly unicode?: boolean;
}

/** Room for the longest severity and a blank. */
const INDENT = 'critical '.length;

/** The findings as lines, the severest first: what each says, by which figures, and (where asked) what to do. */
export function findingLines(findings: readonly Finding[], columns: number, withAdvice = false): string[] {
  return findings.flatMap(({ severity, title, figures, advice }) => {
    const judged = figureTexts(figures);
    const text = plainLine(judged.length === 0 ? title : `${title} (${judged.join(', ')})`);
    const lines = [...wrap(text, columns - INDENT), ...(withAdvice ? wrap(plainLine(advice), columns - INDENT) : [])];
    return lines.map((line, index) => `${(index === 0 ? severity : '').padEnd(INDENT)}${line}`);
  });
}

/** What a finding was judged by: `worst excursion -2.0 %`. */
export function figureTexts(figures: Finding['figures']): string[] {
  return Object.entries(figures).map(([name, value]) => `${spaced(name)} ${value}`);
}

/** `worstExcursion` as words. */
function spaced(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** What `tidegate diagnose` prints: every finding with its advice, and the warnings of the run. */
export function renderFindings({ name, findings, warnings }: Pick<RunReport, 'name' | 'findings' | 'warnings'>, look: Look): string {
  const { color = false, unicode = true } = look;
  const columns = Math.max(40, Math.min(look.columns ?? 100, 100));
  const table = new TerminalTable(columns, { color, unicode });
  const list =
    findings === undefined
      ? ['The run did not reach its end: nothing can be said of it.']
      : findings.length === 0
        ? ['No check has anything to say.']
        : findingLines(findings, columns, true);
  const warned = warnings.map((warning) => `! ${wrap(plainLine(warning), columns - 2).join('\n  ')}`);
  const blocks = [[table.title(`Diagnosis of ${name}`), ...list], ...(warned.length === 0 ? [] : [[table.title('Warnings'), ...warned]])];
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}
