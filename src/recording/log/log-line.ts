import { crc32 } from 'node:zlib';
import type { LogRecord } from './log-record.ts';

/** `LLLLLLLL CCCCCCCC `: the JSON's length in bytes, and the CRC-32 of that length and the JSON, in hex. */
const HEAD_BYTES = 18;
const HEAD = /^([0-9a-f]{8}) ([0-9a-f]{8}) $/;
const NEW_LINE = 0x0a;
const SPACE = 0x20;

/** Bytes between whole records that are none: never the end of the file. */
export interface Damage {
  readonly kind: 'damaged';
  /** Offset in the file. */
  readonly at: number;
  readonly bytes: number;
}

export interface LogReading {
  /** Every whole record in order, and between them what is damaged. */
  readonly records: readonly (LogRecord | Damage)[];
  /** Bytes up to the end of the last whole record. */
  readonly wholeBytes: number;
  /** Bytes after that: a record that was being written when the process died. */
  readonly tornBytes: number;
}

/** A record as the line that a log holds: head, JSON, line feed. */
export function logLine(record: LogRecord): Buffer {
  const json = Buffer.from(JSON.stringify(record));
  const length = hex(json.length);
  return Buffer.concat([Buffer.from(`${length} ${hex(crc32(json, crc32(length)))} `), json, Buffer.of(NEW_LINE)]);
}

/** Reads a log. Only what its checksum proves is a record: nothing is mended. */
export function readLogLines(bytes: Buffer): LogReading {
  const records: (LogRecord | Damage)[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = lineEnd(bytes, at);
    if (end === undefined) {
      const next = nextLine(bytes, at);
      if (next === undefined) break;
      records.push({ kind: 'damaged', at, bytes: next - at });
      at = next;
    } else {
      records.push(JSON.parse(bytes.toString('utf8', at + HEAD_BYTES, end - 1)) as LogRecord);
      at = end;
    }
  }
  return { records, wholeBytes: at, tornBytes: bytes.length - at };
}

/** Where the whole line that begins at `at` ends; `undefined` where none does. */
function lineEnd(bytes: Buffer, at: number): number | undefined {
  const [, length = '', checksum = ''] = HEAD.exec(bytes.toString('latin1', at, at + HEAD_BYTES)) ?? [];
  if (length === '') return undefined;
  const end = at + HEAD_BYTES + Number.parseInt(length, 16) + 1;
  if (end > bytes.length || bytes[end - 1] !== NEW_LINE) return undefined;
  const crc = crc32(bytes.subarray(at + HEAD_BYTES, end - 1), crc32(length));
  return crc === Number.parseInt(checksum, 16) ? end : undefined;
}

/** Where the next whole line after a damaged one begins: anywhere, as the line feed between may be what is damaged. */
function nextLine(bytes: Buffer, from: number): number | undefined {
  for (let at = from + 1; at <= bytes.length - HEAD_BYTES; at++) {
    if (bytes[at + 8] === SPACE && bytes[at + HEAD_BYTES - 1] === SPACE && lineEnd(bytes, at) !== undefined) return at;
  }
  return undefined;
}

function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}
