import { TidegateError } from '../../model/errors.ts';
import { isoTime, parseInterval } from '../../model/time.ts';
import { openSignals } from '../../recording/signals/signal-file.ts';
import type { SignalMeta, SignalRows } from '../../recording/signals/signal-rows.ts';
import type { RecordedSignals } from '../../venues/simulated/signal-replay.ts';
import type { LoadedConfig } from '../config/load-config.ts';
import { namingFolders } from '../config/reading/data-folder.ts';
import { formatAt } from '../config/reading/problems.ts';
import { type BotMode, botFolder } from './bot-folder.ts';
import type { SignalSource } from './run-plans.ts';

/** The needs of a strategy class for signals. */
export interface SignalNeeds {
  readonly id: string;
  /** The names that `needs.signals` lists; `undefined` without it. */
  readonly signals?: readonly string[] | undefined;
  /** It has `onSignal`. */
  readonly hasSignalHook?: boolean | undefined;
}

/**
 * The recorded signals of a backtest, in the order of the config.
 * @param inMemory by name, instead of recordings.
 * @throws TidegateError CONFIG_INVALID, DATA_NOT_FOUND, DATA_CORRUPT.
 */
export async function plannedSignals(
  loaded: LoadedConfig,
  needs: readonly SignalNeeds[],
  inMemory: ReadonlyMap<string, SignalRows>,
): Promise<RecordedSignals[]> {
  const { config, dataFolders } = loaded;
  requireSignals(loaded, needs);
  const planned: RecordedSignals[] = [];
  for (const [name, { recording = name, availableAfter }] of Object.entries(config.signals)) {
    const opened = async () => await openSignals(config.dataDir, recording).catch(namingFolders(dataFolders, 'dataDir'));
    const { meta, columns, times, symbols, values }: SignalRows & { readonly meta?: SignalMeta } = inMemory.get(name) ?? (await opened());
    planned.push({
      name,
      columns: columns.map((column) => column.name),
      sourceTimes: times,
      delayMs: delayOf(availableAfter),
      symbols,
      values,
      sha256: meta?.sha256,
    });
  }
  return planned;
}

/**
 * A warning for each set of signals of which no row is delivered: those of other symbols or of another time.
 * @param symbols those of which strategies receive prices.
 * @param from epoch ms, like `to`: the first and the last price of the run.
 */
export function signalWarnings(signals: readonly RecordedSignals[], symbols: ReadonlySet<string>, from: number, to: number): string[] {
  return signals.flatMap(({ name, sourceTimes, delayMs, symbols: ofRows }) => {
    const isDelivered = (symbol: string | undefined, row: number) =>
      (symbol === undefined || symbols.has(symbol)) && sourceTimes[row]! + delayMs >= from && sourceTimes[row]! + delayMs <= to;
    const rows = ofRows.length;
    if (rows === 0 || ofRows.some(isDelivered)) return [];
    const own = [...new Set(ofRows)].map((symbol) => symbol ?? 'no symbol');
    const more = own.length > MOST_SYMBOLS ? ` and ${own.length - MOST_SYMBOLS} more` : '';
    const ofOwn = `${own.slice(0, MOST_SYMBOLS).join(', ')}${more}, from ${isoTime(sourceTimes[0]!)} to ${isoTime(sourceTimes[rows - 1]!)}`;
    return [
      `signals.${name}: no row is delivered; its rows are of ${ofOwn}, and the run has ${[...symbols].join(', ')}, from ${isoTime(from)} to ${isoTime(to)}`,
    ];
  });
}

const MOST_SYMBOLS = 3;

/**
 * The files from which a bot reads its signals. Signals that are only posted have a file in the folder of the bot.
 * @throws TidegateError CONFIG_INVALID for signals that have no file and are not posted.
 */
export function signalFiles({ config, locate }: LoadedConfig, mode: BotMode): SignalSource[] {
  return Object.entries(config.signals).map(([name, { file, post = false, availableAfter, maxAhead }]) => {
    const place = ['signals', name];
    if (file === undefined && !post)
      throw new TidegateError(
        'CONFIG_INVALID',
        formatAt(
          locate(place),
          `signals.${name}: ${mode} needs \`file\`, the file of JSON lines to which the model appends its signals, or \`post: true\``,
        ),
      );
    const path = file ?? botFolder(config[mode]!.dir, config.name, mode).signals(name);
    return { name, file: path, delayMs: delayOf(availableAfter), maxAheadMs: parseInterval(maxAhead)!, ...(post && { post }) };
  });
}

function delayOf(availableAfter: string | undefined): number {
  return availableAfter === undefined ? 0 : parseInterval(availableAfter)!;
}

/** Checks that the config has the signals that the strategies need. @throws TidegateError CONFIG_INVALID naming the strategy. */
export function requireSignals({ config, locate }: LoadedConfig, needs: readonly SignalNeeds[]): void {
  const known = Object.keys(config.signals);
  needs.forEach(({ id, signals = [], hasSignalHook }, index) => {
    const missing = signals.find((name) => !known.includes(name));
    if (missing === undefined && (known.length > 0 || hasSignalHook !== true)) return;
    const wanted = missing === undefined ? 'has onSignal' : `needs the signal "${missing}"`;
    const has = known.length === 0 ? 'has no `signals`' : `has only ${known.join(', ')} in \`signals\``;
    const text = `strategy "${id}" ${wanted}, but the config ${has}; expected an entry such as \`signals: { ${missing ?? 'preds'}: { recording: preds } }\``;
    throw new TidegateError('CONFIG_INVALID', formatAt(locate(['strategies', index]), text));
  });
}
