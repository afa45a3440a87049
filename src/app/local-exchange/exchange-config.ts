import { z } from 'zod';
import { FaultRuleSchema } from '../../local-exchange/http/control.ts';
import { defined, type ExchangeOptions, FUTURES_LISTS } from '../../local-exchange/options.ts';
import { Decimal } from '../../model/decimal.ts';
import { type ContractSpec, Instrument } from '../../model/instrument.ts';
import { PRICE_EVENT_KINDS } from '../../model/market-events.ts';
import { marginSettings } from '../config/account-settings.ts';
import { lackingUrls } from '../config/cross-rules.ts';
import { ContractSchema, InstrumentSchema, MarginSchema, OwnMarginSchema } from '../config/schema/account-schema.ts';
import {
  amount,
  asset,
  dataDir,
  feeRate,
  fraction,
  instant,
  nonNegativeDecimal,
  PublicTickersSchema,
  positiveDecimal,
  recordingName,
  slug,
  symbol,
  text,
  trueOrFalse,
  whole,
} from '../config/schema/fields.ts';
import { FillsSchema } from '../config/schema/fills-schema.ts';
import { fillSettings, type OwnModels } from '../planning/own-models.ts';

/** The source of prices: at most one of `recording`, `synthetic` and `exchange`. Without a source, only the control door sets prices. */
const PricesSchema = z
  .strictObject({
    recording: recordingName.optional().describe('Recording that is played from its start, by name'),
    use: z.enum(PRICE_EVENT_KINDS).optional().describe('Recorded kind; default: tickers, else trades, quotes or bars'),
    speed: amount(0.001, 'a number above 0').default(1).describe('Speed of the replay: 2 plays the recording twice as fast'),
    loop: trueOrFalse.default(false).describe('Start the recording again at its end'),
    synthetic: z
      .strictObject({ seed: whole(0).default(1), start: z.record(symbol, positiveDecimal).describe('First price by symbol') })
      .optional()
      .describe('Synthetic trades without end'),
    exchange: PublicTickersSchema.optional().describe("Another exchange's public tickers, polled at an interval in ms"),
  })
  .refine((prices) => [prices.recording, prices.synthetic, prices.exchange].filter((one) => one !== undefined).length <= 1, {
    error: 'expected at most one of recording, synthetic and exchange',
  });

const flag = trueOrFalse.optional();

const ListingSchema = z.strictObject({
  buyLimitPriceRatio: positiveDecimal.optional().describe('Largest distance of a buy limit above the last price, as a share of it'),
  sellLimitPriceRatio: fraction.optional().describe('Largest distance of a sell limit below the last price, as a share of it'),
  marketBuyLimitSize: positiveDecimal.optional().describe('Largest market buy, in quote where market buys are by quote'),
  marketSellLimitSize: positiveDecimal.optional().describe('Largest market sell, in base'),
  marketOpenLimitSize: positiveDecimal.optional().describe('Largest market order that opens a position of a contract, in base'),
  maxPositionSize: positiveDecimal.optional().describe('Largest position on a side of a contract, in base'),
  marketFallbackPriceRatio: fraction
    .optional()
    .describe('Largest distance of a market fill from the last price, as a share of it; the rest of the order is canceled'),
  enableTrade: flag.describe('Whether the exchange accepts orders; default true'),
  enableDisplay: flag,
  displayDigitMerge: z.string().optional(),
  displayNew: flag,
  displayHot: flag,
  supportTracing: flag,
  supportPlanMarket: flag,
});

const ChainSchema = z.strictObject({
  chain: text('the name of a chain').optional(),
  needTag: flag,
  withdraw: flag,
  deposit: flag,
  withdrawFee: nonNegativeDecimal.optional(),
  minDeposit: nonNegativeDecimal.optional(),
  minWithdraw: nonNegativeDecimal.optional(),
  depositConfirmations: whole(0).optional(),
  withdrawConfirmations: whole(0).optional(),
  browserUrl: z.string().optional(),
});

const AccountMarginSchema = OwnMarginSchema.extend({
  contracts: z.record(symbol, OwnMarginSchema).optional().describe('Settings of single contracts that differ, by symbol'),
});

const UID_ERROR = 'expected a user id of at most 19 digits, in quotes';
const balances = z.record(asset, nonNegativeDecimal).optional();

const ExchangeAccountSchema = z.strictObject({
  name: slug(40),
  uid: z
    .string({ error: UID_ERROR })
    .regex(/^[1-9]\d{0,18}$/, { error: UID_ERROR })
    .optional()
    .describe('User id; default: derived from the order of the accounts'),
  key: text('an API key').optional().describe('Default: derived from the names of exchange and account'),
  secret: text('an API secret').optional(),
  passphrase: text('a passphrase').optional(),
  affiliate: flag.describe('May call operations 17 to 20'),
  invitedBy: slug(40).optional().describe('Name of the account that invited it'),
  subAffiliate: flag.describe('Counts as a sub-affiliate of the account that invited it'),
  kyc: flag,
  frozen: flag.describe('All requests of the account are refused'),
  balances: z
    .strictObject({ spot: balances, funding: balances, futures: balances })
    .optional()
    .describe('Opening balances by wallet and coin, as decimal text'),
  margin: AccountMarginSchema.optional().describe('Margin settings of this account that differ from `margin` and `contract.margin`'),
});

/** The config of a local exchange: its instruments, its accounts and its behaviour. */
export const ExchangeConfigSchema = z
  .strictObject({
    name: slug(40).describe('Name of the exchange; credentials are derived from it'),
    extends: text('the path of a config file').optional(),
    dataDir: dataDir
      .default('../data')
      .describe(
        'Folder of the recordings, relative to the config file, or `s3://bucket/prefix` to read them from S3-like storage; without it, the nearest folder `data` with recordings, in the folder of the config or above it',
      ),
    time: z
      .union([z.enum(['wall', 'stepped']), z.strictObject({ stepped: instant })])
      .default('wall')
      .describe('`wall` time, or time that the control door advances, from now or from a given time'),
    prices: PricesSchema.prefault({}).describe('Source of the prices'),
    instruments: z
      .record(symbol, InstrumentSchema.extend({ contract: ContractSchema.optional(), listing: ListingSchema.optional() }))
      .refine((instruments) => Object.keys(instruments).length > 0, { error: 'expected at least one instrument' })
      .describe('Instruments by symbol: `BASE-QUOTE`, or `BASE-QUOTE-PERP` for futures'),
    accounts: z.array(ExchangeAccountSchema, { error: 'expected a list of accounts' }).min(1, { error: 'expected at least one account' }),
    margin: MarginSchema.prefault({}).describe('Margin settings of all contracts, for every account'),
    fills: FillsSchema.prefault({}).describe('Rules of the simulator for fills'),
    matching: z
      .strictObject({
        markMaxAgeMs: amount(0).optional(),
        liquidation: flag,
        insuranceFund: z.record(asset, nonNegativeDecimal).optional(),
      })
      .prefault({}),
    coins: z
      .array(z.strictObject({ id: whole(1), name: asset, transfer: trueOrFalse.default(true), chains: z.array(ChainSchema).default([{}]) }))
      .default([]),
    behaviour: z
      .strictObject({
        marketBuyByQuote: flag,
        withdrawalMs: amount(0).optional(),
        commissionRate: feeRate.optional(),
        batchLimit: whole(1).optional(),
        clientIdRestMs: amount(0).optional().describe('How long a client id stays in use after its order has ended, in ms'),
        repeatedId: z.enum(['refused', 'answered']).optional(),
        failedCancel: z.enum(['result', 'refused']).optional(),
        cancelMs: amount(0).optional(),
        postOnlyTaking: z.enum(['canceled', 'refused']).optional(),
        refusalStatus: z.enum(['documented', 'ok']).optional(),
        shownFirst: z.enum(['together', 'order', 'fills', 'end']).optional(),
        listOrder: z.enum(['newestFirst', 'oldestFirst', 'mixed']).optional(),
        pageLimit: whole(1).optional(),
        nextPage: z.enum(['both', 'flag', 'total']).optional(),
        periodEnds: z.enum(['inside', 'outside']).optional(),
        historyMs: amount(0).optional(),
        emptyFields: z.enum(['sampled', 'empty', 'null']).optional(),
        zeroBalances: z.enum(['omitted', 'listed']).optional(),
        statusWords: z.enum(['open', 'new', 'capitals']).optional(),
        nameCase: z.enum(['upper', 'lower']).optional(),
        decimals: z.enum(['short', 'padded', 'numbers']).optional(),
        ids: z.enum(['documented', 'quoted', 'bare']).optional(),
        feePlaces: whole(0).max(18).optional().describe('Places to which spot fees are rounded, up; left out, none are'),
        firedTriggerId: z.enum(['kept', 'newWithClientId', 'new']).optional().describe('Ids of the order that a fired trigger becomes'),
        currentListsTriggers: flag.describe('Operation 14 lists triggers that have not fired'),
        createDate: z.enum(['either', 'days', 'time']).optional(),
        fillWords: z.enum(['documented', 'empty', 'odd']).optional(),
        batchReply: z.enum(['whole', 'part']).optional(),
        futuresCancelMs: amount(0).optional(),
        endedCancel: z.enum(['over', 'notFound']).optional(),
      })
      .prefault({})
      .describe('Behaviour that the API document does not define'),
    lists: z
      .strictObject({
        keepTerminalOrders: flag.describe('Filled and canceled futures orders stay in operation 14'),
        keepFlatPositions: flag.describe('Flat positions stay in operations 15 and 16'),
        pendingMs: amount(0).optional().describe('How long new futures orders are shown as `pending`, in ms'),
        cancelingMs: amount(0).optional().describe('How long canceled futures orders are shown as `canceling`, in ms'),
        sharedMode: z.enum(['SHARED', 'CROSS']).optional().describe('Name of shared margin in replies'),
        lagMs: z
          .partialRecord(z.enum(FUTURES_LISTS), amount(0))
          .optional()
          .describe('By how much each list of futures is behind the others, in ms'),
      })
      .prefault({})
      .describe('Contents of the futures lists that the API document does not define'),
    limits: z
      .strictObject({
        ipWeight: whole(0).optional(),
        uidWeight: whole(0).optional(),
        windowMs: whole(1).optional(),
        actionsPerSecond: whole(0).optional(),
        ordersPerMinute: whole(0).optional(),
        orderDelayMs: whole(0).optional(),
        bodyBytes: whole(1).optional(),
        connections: whole(0).optional(),
        requestMs: whole(0).optional(),
        idleMs: whole(0).optional(),
      })
      .prefault({})
      .describe('Rate limits and sizes of requests; 0 means no limit'),
    faults: z
      .strictObject({
        seed: whole(0).optional(),
        rules: z.array(FaultRuleSchema).optional(),
        visibilityLagMs: amount(0).optional(),
        clockSkewMs: amount(0).optional(),
        clockJumpMs: amount(0).optional(),
      })
      .prefault({})
      .describe('Faults that the exchange produces'),
    ports: z
      .strictObject({ spot: whole(0).default(0), futures: whole(0).default(0), control: whole(0).optional() })
      .prefault({})
      .describe('Loopback ports; 0 takes a free one, and without `control` there is no control door'),
  })
  .superRefine(({ accounts, instruments, prices }, { addIssue }) => {
    for (const { path, message } of lackingUrls(['prices', 'exchange'], prices.exchange, Object.keys(instruments))) {
      addIssue({ code: 'custom', path: [...path], message });
    }
    for (const [index, { margin }] of accounts.entries()) {
      for (const contract of Object.keys(margin?.contracts ?? {})) {
        if (Object.hasOwn(instruments, contract) && contract.endsWith('-PERP')) continue;
        const path = ['accounts', index, 'margin', 'contracts', contract];
        addIssue({ code: 'custom', path, message: 'no contract of that symbol among the instruments' });
      }
    }
  });

export type ExchangeConfig = z.output<typeof ExchangeConfigSchema>;

type Listed = ExchangeConfig['instruments'][string];
type Contract = NonNullable<Listed['contract']>;

/** The maintenance margin of contracts without a setting for it. */
const MAINTENANCE = '0.005';

/** The options of an exchange that come from its config: all except its clock, its feed and its files. */
export type PlannedExchange = Omit<ExchangeOptions, 'clock' | 'feed' | 'step' | 'stateFile' | 'log'>;

/** @param models the models of the user in the config, if it names any. */
export function exchangeOptions(config: ExchangeConfig, models?: OwnModels['models']): PlannedExchange {
  const { name, accounts, coins, behaviour, lists, limits, ports, margin } = config;
  const listed = Object.entries(config.instruments);
  const { insuranceFund = {}, ...matching } = config.matching;
  return {
    name,
    accounts: accounts.map(({ margin: _, ...account }) => account),
    coins,
    behaviour: defined(behaviour),
    lists: defined(lists),
    limits: defined(limits),
    faults: defined(config.faults) as ExchangeOptions['faults'],
    ports: defined(ports),
    instruments: listed.map(([symbol, spec], index) => instrument(symbol, spec, index)),
    listings: new Map(listed.flatMap(([symbol, { listing }]) => (listing === undefined ? [] : [[symbol, listing] as const]))),
    fills: fillSettings(config.fills, models),
    matching: { ...matching, insuranceFund: new Map(Object.entries(insuranceFund).map(([asset, amount]) => [asset, new Decimal(amount)])) },
    margin: ({ symbol }, owner) => {
      const own = accounts.find(({ name }) => name === owner)?.margin;
      return marginSettings(margin, own?.contracts?.[symbol], own, config.instruments[symbol]?.contract?.margin);
    },
  };
}

function instrument(symbol: string, { contract, listing: _, ...spec }: Listed, index: number): Instrument {
  const isFutures = symbol.endsWith('-PERP');
  return new Instrument(index, { symbol, ...spec, contract: isFutures ? contractSpec(contract) : undefined });
}

/** The terms of a contract: defaults for missing settings; a single maintenance rate becomes one tier. */
function contractSpec({
  value = '0.000001',
  maintenance,
  tiers,
  liquidationFee = '0.001',
  triggerBy = 'last',
}: Partial<Contract> = {}): ContractSpec {
  return { value, tiers: tiers ?? [{ maintenance: maintenance ?? MAINTENANCE }], liquidationFee, triggerBy };
}
