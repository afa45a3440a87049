import type { DuckDBConnection } from '@duckdb/node-api';
import { quoted } from '../../duckdb.ts';
import { decimalUnitsText } from './table.ts';

/** Decimal places of Nautilus's integers, by their bytes: standard and high precision. */
const PLACES: Readonly<Record<number, number>> = { 8: 9, 16: 16 };

/** SQL for the side of a trade, which Nautilus writes as a number. */
export const NAUTILUS_SIDE = "CASE aggressor_side WHEN 1 THEN 'buy' WHEN 2 THEN 'sell' ELSE '' END";

/**
 * The columns of a Parquet file that contain Nautilus's prices and quantities: integers of 8 or 16 bytes, lowest byte first. Only its
 * metadata shows that the bytes are numbers.
 * @returns their bytes, by the name of the column; undefined for a file that Nautilus did not write.
 */
export async function nautilusNumbers(duck: DuckDBConnection, path: string): Promise<ReadonlyMap<string, number> | undefined> {
  // Its Python program writes the precision as a key; that in Rust writes it into the schema of Arrow, next to the same columns.
  const own = await duck.runAndReadAll(
    `SELECT decode(key) FROM parquet_kv_metadata(${quoted(path)}) WHERE decode(key) = 'price_precision'
     UNION ALL SELECT name FROM parquet_schema(${quoted(path)}) WHERE name = 'ts_init' AND type = 'INT64' AND logical_type LIKE '%signed=false%' OR name = 'ts_init' AND converted_type = 'UINT_64'`,
  );
  if (own.getRows().length === 0) return undefined;
  const schema = await duck.runAndReadAll(
    `SELECT name, type_length FROM parquet_schema(${quoted(path)}) WHERE type = 'FIXED_LEN_BYTE_ARRAY' AND converted_type IS NULL`,
  );
  const columns = schema.getRows().map(([name, length]) => [String(name), Number(length)] as const);
  return new Map(columns.filter(([, length]) => PLACES[length] !== undefined));
}

/** The decimal of such bytes, without zeros at its end. */
export function nautilusText(bytes: Uint8Array): string {
  let units = 0n;
  for (let at = bytes.length - 1; at >= 0; at--) units = (units << 8n) | BigInt(bytes[at]!);
  return decimalUnitsText(BigInt.asIntN(8 * bytes.length, units), PLACES[bytes.length]!).replace(/\.?0+$/, '');
}
