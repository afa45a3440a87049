import { isoTime } from '../../../model/time-text.ts';
import { openRecording } from '../../../recording/catalogue/open-recording.ts';
import { checkSeries } from '../../../recording/checks/check.ts';
import { seriesTitle } from '../../../recording/columns/series-meta.ts';
import type { StoredSeries } from '../../../recording/columns/stored-series.ts';
import { type Check, failed, type Outcome, ok, skipped, warning } from '../check.ts';
import type { Patient } from '../patient.ts';

const SEE = '`tidegate data check` shows all of it; `tidegate data import` or `data download` gets it anew';

export const recordings: Check = {
  id: 'recordings',
  title: 'the recordings are there and sound, over the whole period',
  modes: ['backtest', 'paper'],
  needs: ['config'],
  mend: SEE,
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
  if (wrong.length > 0) return failed(wrong.join('; '), SEE);
  return doubtful.length > 0 ? warning(doubtful.join('; '), SEE) : ok(all);
}
