import type { Spread } from '../statistics/significance/monte-carlo.ts';
import type { Significance, SignificanceTerms } from '../statistics/significance/significance.ts';
import type { RunDifference } from '../statistics/significance/two-runs.ts';
import { type JudgedEvidence, SKILL_DAYS } from '../statistics/significance/verdict.ts';
import { formatCount, formatShare, NOT_AVAILABLE } from './format.ts';
import { TerminalTable } from './terminal-table.ts';

interface Look {
  readonly columns: number;
  readonly color: boolean;
  readonly unicode: boolean;
}

/** The name of the judged run or trial. */
interface JudgedName {
  readonly name: string;
  readonly chosen: { readonly study: string; readonly trial: number } | undefined;
  readonly days: number;
  readonly elsewhere: number;
}

/** Each method by the name of its evidence: what it is called, its source, and what its value means. */
const METHODS = {
  deflated: ['Deflated Sharpe ratio', 'skill from 0.95, luck below 0.90'],
  haircut: ['Haircut, Bonferroni', 'skill to 0.05, luck above 0.10'],
  superiority: ["Hansen's SPA, consistent", 'skill to 0.05, luck above 0.10'],
  overfitting: ['Probability of overfitting', 'luck above 0.50'],
} as const satisfies Record<JudgedEvidence['method'], readonly [label: string, rule: string]>;

/** Where each method is from. */
const SOURCES = {
  sharpe: 'Bailey and Lopez de Prado 2012; Lo 2002',
  deflated: 'Bailey and Lopez de Prado 2014',
  minimumBacktestYears: 'Bailey, Borwein, Lopez de Prado and Zhu 2014',
  haircuts: 'Harvey and Liu 2015',
  superiority: 'White 2000; Hansen 2005; Politis and Romano 1994; Politis and White 2004, corrected 2009',
  overfitting: 'Bailey, Borwein, Lopez de Prado and Zhu 2017',
} as const;

/** The result of `tidegate significance` as JSON: every number with the terms that made it. `null`: it does not exist. */
export function significanceJson(judged: JudgedName, found: Significance, terms: SignificanceTerms): object {
  const { computed, overfitting, tradePaths, ...rest } = found;
  return plain({ ...judged, terms, sources: SOURCES, ...rest, ...computed, overfitting, tradePaths });
}

export function differenceJson(
  names: { readonly first: string; readonly second: string },
  found: RunDifference,
  terms: SignificanceTerms,
): object {
  return plain({ ...names, terms, ...found });
}

/** Without numbers that JSON has not. */
function plain(value: object): object {
  return JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' && !Number.isFinite(one) ? null : one))) as object;
}

/** The text of `tidegate significance` for one run or study. */
export function significanceText(judged: JudgedName, found: Significance, terms: SignificanceTerms, look: Look): string {
  const table = new TerminalTable(look.columns, look);
  const blocks = [
    verdictBlock(judged, found, table),
    ...computedBlocks(found, terms, table),
    pathBlock(found, terms, table),
    leftBlock(found),
  ];
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n\n${termsText(terms)}\n`;
}

const TEXT_THEN_FIGURES = ['left', 'right', 'left', 'left'] as const;

function verdictBlock({ name, chosen, days, elsewhere }: JudgedName, { verdict, trials }: Significance, table: TerminalTable): string {
  const { tried, compared, independent } = trials;
  const of = chosen === undefined ? '' : `, chosen from a study`;
  const lines = [
    table.title(`${name}: ${verdict.word}`),
    `${formatCount(days)} daily returns${of}. Tried: ${formatCount(tried)}${elsewhere > 0 ? ` (${formatCount(elsewhere)} elsewhere)` : ''}, of which ${formatCount(compared)} are compared; ${formatCount(independent)} count as independent.`,
  ];
  if (verdict.evidence.length > 0) {
    const rows = verdict.evidence.map(({ method, value, says }) => [METHODS[method][0], number(value), says, METHODS[method][1]]);
    lines.push('', table.section('What decides', ['Method', 'Value', 'Says', 'Rule'], rows, [...TEXT_THEN_FIGURES]), '');
  }
  lines.push(meaning(verdict.word), neededText(verdict.daysNeeded, days));
  return lines
    .filter((line, index) => index < 2 || line !== '' || verdict.evidence.length > 0)
    .join('\n')
    .trimEnd();
}

function meaning(word: Significance['verdict']['word']): string {
  if (word === 'luck') return 'Chance makes as much from so many trials without skill.';
  if (word === 'skill') return 'Chance hardly makes this. It does not say that the future is like these data.';
  return 'This is not enough to say skill or luck.';
}

function neededText(needed: number | undefined, days: number): string {
  if (needed === undefined) return 'A Sharpe ratio of zero or less never shows skill, with any number of days.';
  const least = Math.max(needed, SKILL_DAYS);
  return days >= least
    ? ''
    : `If the Sharpe ratio stays as it is, ${formatCount(least)} daily returns would decide (${(least / days).toFixed(1)} times as many).`;
}

function computedBlocks({ computed, overfitting, trials }: Significance, terms: SignificanceTerms, table: TerminalTable): string[] {
  if (computed === undefined) return [];
  const { sharpe, deflated, haircuts, superiority, minimumBacktestYears } = computed;
  const section = (title: string, rows: readonly (readonly string[])[]) =>
    table.section(title, ['Figure', 'Value', 'Meaning'], rows, ['left', 'right', 'left']);
  const spread = deflated.spreadOf === 'trials' ? 'variance over the compared trials' : 'variance of trials without skill, 1 / days';
  const year = Math.sqrt(terms.annualDays);
  return [
    section('Sharpe ratio, a year', [
      ['As if days were independent', number(sharpe.annualSharpe), `standard error ${number(sharpe.annualError)} (Lo 2002)`],
      [
        `With ${sharpe.lags} autocorrelations`,
        number(sharpe.annualSharpeAutocorrelated),
        `standard error ${number(sharpe.annualErrorAutocorrelated)} (Lo 2002)`,
      ],
      ['Probabilistic Sharpe ratio', number(sharpe.probabilistic), `true ratio above ${terms.benchmark} (Bailey, Lopez de Prado 2012)`],
      ['Minimum track record, days', days(sharpe.minimumTrackRecord), `for ${formatShare(terms.confidence)}, one trial`],
    ]),
    section('After so many trials', [
      ['Ratio of the luckiest', number(deflated.luckySharpe), `independent trials: ${formatCount(trials.independent)}; ${spread}`],
      ['Deflated Sharpe ratio', number(deflated.probability), 'true ratio above that (Bailey, Lopez de Prado 2014)'],
      ['Minimum backtest, years', number(minimumBacktestYears), 'for so many trials and this ratio (Bailey et al. 2014)'],
      ['Haircut by Bonferroni', formatShare(haircuts.bonferroni.share), haircutText(haircuts.bonferroni, year)],
      ['Haircut by BHY', formatShare(haircuts.bhy.share), haircutText(haircuts.bhy, year)],
    ]),
    table.section(
      'The best mean, by luck',
      ['Test', 'Lower', 'Consistent', 'Upper'],
      [
        ["Hansen's SPA 2005", ...bounds(superiority.studentized)],
        ["White's reality check 2000", '', '', number(superiority.plain.upper)],
      ],
    ),
    overfitting === undefined
      ? ''
      : section('Best in one half of the days, in the other half', [
          ['Probability of overfitting', number(overfitting.probability), 'in the lower half (Bailey et al. 2017)'],
          [
            'Probability of a loss',
            number(overfitting.lossProbability),
            `${formatCount(overfitting.ways)} ways to halve ${overfitting.blocks} blocks`,
          ],
          ['Degradation', number(overfitting.degradation), 'change of the ratio there by that here'],
        ]),
  ];
}

function haircutText({ probability, sharpe }: { readonly probability: number; readonly sharpe: number }, year: number): string {
  return `leaves ${number(sharpe * year)}, p = ${number(probability)} (Harvey, Liu 2015)`;
}

function bounds({ lower, consistent, upper }: { readonly lower: number; readonly consistent: number; readonly upper: number }): string[] {
  return [lower, consistent, upper].map(number);
}

function pathBlock({ computed, tradePaths }: Significance, { ruinAt }: SignificanceTerms, table: TerminalTable): string {
  const row = (label: string, spread: Spread) => [
    label,
    ...(['5', '25', '50', '75', '95'] as const).map((key) => formatShare(spread[key])),
  ];
  const rows = [
    ...(computed === undefined
      ? []
      : [
          row('Final equity, days drawn', computed.returnPaths.finalEquity),
          row('Largest drawdown, days drawn', computed.returnPaths.drawdown),
        ]),
    ...(tradePaths === undefined ? [] : [row('Largest drawdown, trades shuffled', tradePaths.drawdown)]),
  ];
  if (rows.length === 0) return '';
  const ruin = [
    ...(computed === undefined ? [] : [`${formatShare(computed.returnPaths.ruin)} of days drawn`]),
    ...(tradePaths === undefined ? [] : [`${formatShare(tradePaths.ruin)} of trades shuffled`]),
  ];
  return `${table.section('What the same returns make by chance', ['Quantile', '5 %', '25 %', '50 %', '75 %', '95 %'], rows)}\nEquity fell to ${formatShare(ruinAt)} of the start in ${ruin.join(' and ')}.`;
}

function leftBlock({ left }: Significance): string {
  return left.map(({ method, reason }) => `Not computed: ${method}: ${reason}.`).join('\n');
}

function termsText({ seed, draws, riskless, benchmark, annualDays }: SignificanceTerms): string {
  return `Seed ${seed}, ${formatCount(draws)} draws each, ${annualDays} days a year, riskless rate ${formatShare(riskless)}, benchmark Sharpe ratio ${benchmark}.`;
}

/** The text of `tidegate significance` for two runs. */
export function differenceText(
  { first, second }: { readonly first: string; readonly second: string },
  { days: shared, daysLeftOut, computed, better }: RunDifference,
  terms: SignificanceTerms,
  look: Look,
): string {
  const table = new TerminalTable(look.columns, look);
  const word = better === 'undecided' ? 'undecided' : `${better === 'first' ? first : second} is better`;
  const head = `${table.title(word)}\n${formatCount(shared)} daily returns of both; ${formatCount(daysLeftOut)} of only one are left out.`;
  if (computed === undefined)
    return `${head}\nNot computed: needs 20 days of both, with returns that vary and differ.\n\n${termsText(terms)}\n`;
  const { first: one, second: other } = computed;
  const rows = [
    ['Sharpe ratio, first', number(one.annualSharpe), `standard error ${number(one.annualErrorAutocorrelated)} (Lo 2002)`],
    ['Sharpe ratio, second', number(other.annualSharpe), `standard error ${number(other.annualErrorAutocorrelated)} (Lo 2002)`],
    ['Correlation of daily returns', number(computed.correlation), ''],
    ['Lead of the first, a year', formatShare(computed.annualLead), 'mean of the daily differences'],
    ['This lead by luck, either side', number(computed.student), "Student's paired test"],
    ['First not better', number(computed.firstByLuck), 'stationary bootstrap (Hansen 2005)'],
    ['Second not better', number(computed.secondByLuck), 'stationary bootstrap (Hansen 2005)'],
  ];
  const rule = 'A run is better if the paired test is at most 0.05 and its bootstrap at most 0.025.';
  return `${head}\n\n${table.section('First less second', ['Figure', 'Value', 'Meaning'], rows, ['left', 'right', 'left'])}\n${rule}\n\n${termsText(terms)}\n`;
}

/** Two digits after the point, or three significant ones where it is small. */
function number(value: number): string {
  if (!Number.isFinite(value)) return value === Number.POSITIVE_INFINITY ? 'never' : NOT_AVAILABLE;
  return value !== 0 && Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(2);
}

function days(value: number): string {
  return Number.isFinite(value) ? formatCount(Math.ceil(value)) : 'never';
}
