import { readFileSync } from 'node:fs';
import { isoTime } from '../../model/time.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../recording/checks/check-series.ts';
import { type SeriesMeta, seriesTitle } from '../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../recording/columns/series-reader.ts';
import { isRemote } from '../../recording/remote-storage.ts';
import { OWN_FILES } from '../base/own-files.ts';
import { referenceSymbols } from '../config/account-settings.ts';
import { planBot, requireProfile } from '../live/plan-bot.ts';
import { openData } from '../planning/plan-backtest.ts';
import { recordedNeeds } from '../planning/planned-feeds.ts';
import { plannedStrategies } from '../planning/planned-strategies.ts';
import { implausible } from '../planning/plausible.ts';
import { kindText } from '../planning/recorded-data.ts';
import { SILENT } from '../planning/run-plans.ts';
import { type Check, failed, type Outcome, ok, type Patient, skipped, warning } from './check.ts';

export const nodeVersion: Check = {
  id: 'node',
  title: 'Node is new enough',
  mend: 'install Node again',
  run({ machine: { nodeVersion: found } }) {
    const { engines } = JSON.parse(readFileSync(OWN_FILES.packageJson, 'utf8')) as { engines: { node: string } };
    const wanted = engines.node.replace(/^\D+/, '');
    if (found.localeCompare(wanted, 'en', { numeric: true }) >= 0) return ok(`Node ${found}; ${wanted} or newer is needed`);
    return failed(`Node ${found}; ${wanted} or newer is needed`, `install Node ${wanted} or newer`);
  },
};

export const configCheck: Check = {
  id: 'config',
  title: 'the config is valid',
  mend: 'fix these places; docs/reference/config.md has every key',
  run(patient) {
    const { config } = patient.load();
    const { mode } = patient;
    if (mode !== 'backtest' && config[mode] === undefined)
      return failed(`the config has no section "${mode}"`, `add one: docs/tutorials/from-paper-to-live.md`);
    return ok(`${config.name}: ${config.strategies.length} strategies on ${Object.keys(config.instruments).join(', ')}`);
  },
};

export const strategies: Check = {
  id: 'strategies',
  title: 'the strategies load, and their data is available',
  needs: ['config'],
  mend: 'fix the strategy, or its parameters in the config; docs/reference/strategy-api.md',
  async run({ loaded, mode }) {
    if (mode !== 'backtest') requireProfile(loaded, mode);
    const { strategies: planned, needs } = await plannedStrategies(
      loaded,
      mode,
      mode === 'backtest' ? recordedNeeds(loaded.config, () => openData(loaded)) : undefined,
    );
    if (mode !== 'backtest') requireProfile(loaded, mode, needs);
    return ok(planned.map(({ id }) => id).join(', '));
  },
};

const PLAUSIBLE_MEND = 'change these settings if they are meant otherwise; docs/reference/config.md has their units';

export const plausible: Check = {
  id: 'plausible',
  title: 'the settings are plausible',
  needs: ['config'],
  mend: PLAUSIBLE_MEND,
  async run(patient) {
    const { loaded, mode } = patient;
    const doubts = implausible(loaded.config, mode, await recordedMetas(patient));
    return doubts.length === 0 ? ok('fees, limits, costs and delays have usual sizes') : warning(doubts.join('\n'), PLAUSIBLE_MEND);
  },
};

/** The descriptions of the recorded series; empty where they cannot be read, which another check reports. */
async function recordedMetas(patient: Patient): Promise<SeriesMeta[]> {
  const { config } = patient.loaded;
  const symbols = Object.keys(config.instruments);
  const opened = namesOf(patient).map((name) => openRecording(config.dataDir, name, symbols).catch(() => undefined));
  return (await Promise.all(opened)).flatMap((one) => one?.series.map(({ meta }) => meta) ?? []);
}

const RECORDINGS_MEND = '`tidegate data check` shows all findings; `tidegate data import` or `data download` replaces the data';

export const recordings: Check = {
  id: 'recordings',
  title: 'the recordings are complete and valid for the whole period',
  modes: ['backtest', 'paper'],
  needs: ['config'],
  mend: RECORDINGS_MEND,
  async run(patient) {
    const { config } = patient.loaded;
    const names = namesOf(patient);
    if (names.length === 0) return skipped('prices come from an exchange');
    const series: StoredSeries[] = [];
    for (const name of names) series.push(...(await openRecording(config.dataDir, name, Object.keys(config.instruments))).series);
    const wrong = [...missing(patient, series)];
    const doubtful: string[] = [];
    for (const one of series) {
      for (const { severity, text } of checkSeries(one).findings) {
        (severity === 'error' ? wrong : doubtful).push(`${seriesTitle(one.meta)}: ${text}`);
      }
    }
    return judged(wrong, doubtful, `${series.length} series of ${names.join(', ')}`);
  },
};

function namesOf({ loaded: { config }, mode }: Patient): readonly string[] {
  if (mode === 'backtest') return config.backtest.data;
  const recording = config.paper?.prices.recording;
  return recording === undefined ? [] : [recording];
}

/** The symbols without data, or without data for a part of the period. */
function* missing({ loaded: { config }, mode }: Patient, series: readonly StoredSeries[]): Generator<string> {
  const { from, to = Number.POSITIVE_INFINITY } = config.backtest;
  const references = referenceSymbols(config);
  const use = config.paper?.prices.use ?? 'ticker';
  for (const symbol of Object.keys(config.instruments)) {
    const own = series.filter(({ meta }) => meta.symbol === symbol && (mode === 'backtest' || meta.kind === use));
    if (own.length === 0)
      yield `${symbol}: no ${mode === 'paper' ? `${kindText(use)} are recorded, which paper replays` : 'data is recorded'}`;
    else if (mode === 'backtest') {
      const [first, last] = [Math.min(...own.map(({ meta }) => meta.firstTime)), Math.max(...own.map(({ meta }) => meta.lastTime))];
      const range = `is recorded from ${isoTime(first)} to ${isoTime(last)}`;
      if (last < (from ?? first) || first >= to) yield `${symbol}: ${range}, which is outside backtest.from and backtest.to`;
      else if (from !== undefined && first > from && !references.has(symbol))
        yield `${symbol}: ${range}, but backtest.from is ${isoTime(from)}`;
    }
  }
}

function judged(wrong: readonly string[], doubtful: readonly string[], all: string): Outcome {
  if (wrong.length > 0) return failed(wrong.join('; '), RECORDINGS_MEND);
  return doubtful.length > 0 ? warning(doubtful.join('; '), RECORDINGS_MEND) : ok(all);
}

export const history: Check = {
  id: 'history',
  title: 'there are enough bars before the start for the indicators',
  modes: ['live'],
  needs: ['strategies'],
  mend: 'import newer bars into a recording of backtest.data, or set live.candles to true, or live.warmup to cold',
  async run({ loaded, mode }) {
    const { warnings, warmUp } = await planBot(loaded, mode as 'live', SILENT, { start: Date.now(), speed: 1 });
    if (warmUp !== undefined) return ok('the bot requests candles from the exchange at its start');
    return warnings.length > 0 ? warning(warnings.join('; '), 'import newer bars, or set live.candles to true') : ok('no bars are missing');
  },
};

const MB = 1_000_000;
/** A bot stops if its disk is full. One price a second takes some 220 MB a month. */
const LEAST_ROOM = 100 * MB;
const ENOUGH_ROOM = 1_000 * MB;

export const disk: Check = {
  id: 'disk',
  title: 'the disk has free space',
  needs: ['config'],
  mend: 'give this user access to the disk of the folder',
  run(patient) {
    const places = placesOf(patient).map((path) => ({ path, free: patient.machine.freeBytes(path) }));
    const [worst] = places.sort((a, b) => a.free - b.free);
    if (worst === undefined) return ok('all data is remote');
    const found = `${Math.floor(worst.free / MB)} MB are free at ${worst.path}`;
    if (worst.free < LEAST_ROOM) return failed(found, 'free space: a bot that cannot write its journal stops');
    return worst.free < ENOUGH_ROOM ? warning(found, 'free space soon: one price a second takes 220 MB a month') : ok(found);
  },
};

function placesOf(patient: Patient): string[] {
  const { dataDir } = patient.loaded.config;
  const data = isRemote(dataDir) ? [] : [dataDir];
  return patient.mode === 'backtest' ? data : [...data, patient.folder.path];
}
