import { readFileSync } from 'node:fs';
import { isoTime } from '../../model/time.ts';
import { openRecording } from '../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../recording/checks/check-series.ts';
import { seriesTitle } from '../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../recording/columns/series-reader.ts';
import { isRemote } from '../../recording/remote-storage.ts';
import { OWN_FILES } from '../base/own-files.ts';
import { planBot, requireProfile } from '../live/plan-bot.ts';
import { plannedStrategies } from '../planning/planned-strategies.ts';
import { SILENT } from '../planning/run-plans.ts';
import { type Check, failed, type Outcome, ok, type Patient, skipped, warning } from './check.ts';

export const nodeVersion: Check = {
  id: 'node',
  title: 'Node is new enough',
  mend: 'install Node anew',
  run({ machine: { nodeVersion: found } }) {
    const { engines } = JSON.parse(readFileSync(OWN_FILES.packageJson, 'utf8')) as { engines: { node: string } };
    const wanted = engines.node.replace(/^\D+/, '');
    if (found.localeCompare(wanted, 'en', { numeric: true }) >= 0) return ok(`Node ${found}, at least ${wanted} is needed`);
    return failed(`Node ${found}, at least ${wanted} is needed`, `install Node ${wanted} or newer`);
  },
};

export const configCheck: Check = {
  id: 'config',
  title: 'the config is sound',
  mend: 'mend the places that are named; docs/config.md has every key',
  run(patient) {
    const { config } = patient.load();
    const { mode } = patient;
    if (mode !== 'backtest' && config[mode] === undefined) return failed(`it has no section "${mode}"`, `write one: docs/live.md`);
    return ok(`${config.name}: ${config.strategies.length} strategies on ${Object.keys(config.instruments).join(', ')}`);
  },
};

export const strategies: Check = {
  id: 'strategies',
  title: 'the strategies load, and can be given what they ask for',
  needs: ['config'],
  mend: 'mend the strategy, or its parameters in the config; docs/strategies.md',
  async run({ loaded, mode }) {
    if (mode !== 'backtest') requireProfile(loaded, mode);
    const { strategies: planned, needs } = await plannedStrategies(loaded);
    if (mode !== 'backtest') requireProfile(loaded, mode, needs);
    return ok(planned.map(({ id }) => id).join(', '));
  },
};

const RECORDINGS_MEND = '`tidegate data check` shows all of it; `tidegate data import` or `data download` gets it anew';

export const recordings: Check = {
  id: 'recordings',
  title: 'the recordings are there and sound, over the whole period',
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

/** What the period, or paper, wants and no series has. */
function* missing({ loaded: { config }, mode }: Patient, series: readonly StoredSeries[]): Generator<string> {
  const { from, to = Number.POSITIVE_INFINITY } = config.backtest;
  for (const symbol of Object.keys(config.instruments)) {
    const own = series.filter(({ meta }) => meta.symbol === symbol && (mode === 'backtest' || meta.kind === 'ticker'));
    if (own.length === 0) yield `${symbol}: nothing is recorded${mode === 'paper' ? ' of its tickers, which paper plays' : ''}`;
    else if (mode === 'backtest') {
      const [first, last] = [Math.min(...own.map(({ meta }) => meta.firstTime)), Math.max(...own.map(({ meta }) => meta.lastTime))];
      const range = `is recorded from ${isoTime(first)} to ${isoTime(last)}`;
      if (last < (from ?? first) || first >= to) yield `${symbol}: ${range}, nothing of it between backtest.from and backtest.to`;
      else if (from !== undefined && first > from) yield `${symbol}: ${range}, and backtest.from is ${isoTime(from)}`;
    }
  }
}

function judged(wrong: readonly string[], doubtful: readonly string[], all: string): Outcome {
  if (wrong.length > 0) return failed(wrong.join('; '), RECORDINGS_MEND);
  return doubtful.length > 0 ? warning(doubtful.join('; '), RECORDINGS_MEND) : ok(all);
}

export const history: Check = {
  id: 'history',
  title: 'bars from before the start fill the indicators',
  modes: ['live'],
  needs: ['strategies'],
  mend: 'import newer bars into a recording of backtest.data, or set live.candles to true, or live.warmup to cold',
  async run({ loaded, mode }) {
    const { warnings, warmUp } = await planBot(loaded, mode as 'live', SILENT, { start: Date.now(), speed: 1 });
    if (warmUp !== undefined) return ok('the exchange is asked for candles at the start');
    return warnings.length > 0 ? warning(warnings.join('; '), 'import newer bars, or set live.candles to true') : ok('nothing is missing');
  },
};

const MB = 1_000_000;
/** A bot on a full disk stops. A month of a price a second is some 220 MB. */
const LEAST_ROOM = 100 * MB;
const ENOUGH_ROOM = 1_000 * MB;

export const disk: Check = {
  id: 'disk',
  title: 'there is room on the disk',
  needs: ['config'],
  mend: 'let this user see the disk of the folder',
  run(patient) {
    const places = placesOf(patient).map((path) => ({ path, free: patient.machine.freeBytes(path) }));
    const [worst] = places.sort((a, b) => a.free - b.free);
    if (worst === undefined) return ok('nothing is kept on a disk');
    const found = `${Math.floor(worst.free / MB)} MB are free at ${worst.path}`;
    if (worst.free < LEAST_ROOM) return failed(found, 'make room: a bot that cannot write its journal stops');
    return worst.free < ENOUGH_ROOM ? warning(found, 'make room before long: a month of one price a second is 220 MB') : ok(found);
  },
};

function placesOf(patient: Patient): string[] {
  const { dataDir } = patient.loaded.config;
  const data = isRemote(dataDir) ? [] : [dataDir];
  return patient.mode === 'backtest' ? data : [...data, patient.folder.path];
}
