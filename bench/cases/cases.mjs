import { barsCase } from './bars.mjs';
import { clientRoundtripCase } from './client.mjs';
import { depthReplayCase, depthReplayColdCase } from './depth.mjs';
import { eventToWireCase } from './event-to-wire.mjs';
import { exchangeOrdersCase } from './exchange-orders.mjs';
import { fourByFiveCase } from './four-by-five.mjs';
import { futuresFourByFiveCase } from './futures.mjs';
import { importArrowCase, importCsvCase, importParquetCase } from './importing.mjs';
import { loadCacheCase, loadParquetCase } from './loading.mjs';
import { libraryCase, PROCESS_CASES, processCase } from './process.mjs';
import { bareQuotesCase, engineQuotesCase, engineQuotesIdleCase, engineQuotesObservedCase, engineQuotesPlotsCase } from './quotes.mjs';
import { searchCase, searchPeersCase } from './search.mjs';

/** Every case by the name of its row. */
export const CASES = {
  'bare-quotes': bareQuotesCase,
  'engine-quotes': engineQuotesCase,
  'engine-quotes-idle': engineQuotesIdleCase,
  'engine-quotes-observed': engineQuotesObservedCase,
  'engine-quotes-plots': engineQuotesPlotsCase,
  'engine-4x5': fourByFiveCase,
  'futures-4x5': futuresFourByFiveCase,
  'engine-bars': barsCase,
  'depth-replay': depthReplayCase,
  'depth-replay-cold': depthReplayColdCase,
  ...Object.fromEntries(Object.keys(PROCESS_CASES).map((name) => [name, () => processCase(name)])),
  'library-bars-1m': libraryCase,
  'search-200': searchCase,
  'search-peers': searchPeersCase,
  'import-csv': importCsvCase,
  'import-parquet': importParquetCase,
  'import-arrow': importArrowCase,
  'load-cache': loadCacheCase,
  'load-parquet': loadParquetCase,
  'client-roundtrip': clientRoundtripCase,
  'exchange-orders': exchangeOrdersCase,
  'event-to-wire': eventToWireCase,
};
