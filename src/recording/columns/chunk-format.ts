/**
 * The bytes of a chunk, little endian, every column starting at a multiple of 8:
 *
 *     0  u32 magic `TGC1`      4  u32 rows             8  f64 first time, epoch us
 *    16  f64 last time        24  u32 payload bytes   28  u32 CRC-32 of bytes 0-27, 32-39 and the payload
 *    32  u32 columns (time included)                  36  u32 1 when a nanosecond column ends the payload
 *    40  payload: per column 24 bytes (u32 encoding, u32 zero, f64 base, f64 unit), then the columns
 *
 * Encoding 1 is Int32, `value = base + unit * i32`; encoding 0 is Float64 as it stands. The nanosecond
 * column is Int16 (0 to 999, beyond the microsecond).
 */
export const CHUNK_ROWS = 65_536;
export const CHUNK_MAGIC = 0x3143_4754;
export const HEADER_BYTES = 40;
export const DESCRIPTOR_BYTES = 24;
export const ENCODING_FLOAT64 = 0;
export const ENCODING_INT32 = 1;

/** Microseconds that Int32 offsets may count, largest first: a minute, a second, a millisecond, one. */
export const OFFSET_UNITS = [60_000_000, 1_000_000, 1_000, 1] as const;

/** The next multiple of 8 at or above `bytes`. */
export function aligned(bytes: number): number {
  return Math.ceil(bytes / 8) * 8;
}

/** Most bytes that a chunk of `columns` columns (time included) can take. */
export function maxChunkBytes(columns: number): number {
  return HEADER_BYTES + columns * (DESCRIPTOR_BYTES + CHUNK_ROWS * 8) + CHUNK_ROWS * 2;
}
