import { z } from 'zod';
import { AccountSchema, InstrumentsSchema } from './account-schema.ts';
import { BacktestSchema } from './backtest-schema.ts';
import { dataDir, interval, slug, text, whole } from './fields.ts';
import { LiveSchema, PaperSchema } from './live-schema.ts';
import { RecordSchema } from './record-schema.ts';
import { RiskSchema } from './risk-schema.ts';
import { StrategiesSchema } from './strategy-schema.ts';

const ReportSchema = z.strictObject({
  equityEvery: interval.default('1h').describe('Distance between two points of the equity curve: a number and s, m, h or d'),
  benchmark: text('buyAndHold, none or a symbol')
    .default('buyAndHold')
    .describe(
      'What the run is measured against: `buyAndHold` of all traded symbols in equal parts, one symbol of `instruments`, or `none`',
    ),
  annualDays: whole(1).default(365).describe('Trading days in a year, for annualised figures'),
});

/** One config file: one bot, in every mode. Each key is described; unknown ones are refused. */
export const ConfigSchema = z
  .strictObject({
    name: slug(40).describe('Name of the bot, in output folders and client order ids'),
    extends: text('the path of a config file')
      .optional()
      .describe('Config file that this one is laid over: maps merge, lists are replaced'),
    dataDir: dataDir
      .default('../data')
      .describe('Folder of the recordings, relative to the config file, or `s3://bucket/prefix` to read them from S3-like storage'),
    account: AccountSchema.describe('The account that is traded'),
    instruments: InstrumentsSchema.describe('Instruments by symbol: `BASE-QUOTE`, or `BASE-QUOTE-PERP` for futures'),
    strategies: StrategiesSchema.describe('Strategies to run, at least one'),
    risk: RiskSchema.prefault({}).describe('Limits that every order must pass'),
    backtest: BacktestSchema.describe('Running against recordings'),
    report: ReportSchema.prefault({}).describe('What the report shows'),
    paper: PaperSchema.optional().describe('Running against a local exchange'),
    live: LiveSchema.optional().describe('Running against the exchange'),
    record: RecordSchema.optional().describe('Recording the tickers of the exchange: `tidegate record`, and bots while they run'),
  })
  .meta({ title: 'Tidegate config' });

/** A checked config: defaults filled in, paths absolute, times in epoch ms, decimals as the text that was written. */
export type Config = z.output<typeof ConfigSchema>;
