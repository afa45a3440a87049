import { fstatSync, readSync } from 'node:fs';

/** The file in a zip file, and the range [start, end) of its packed bytes. */
export interface ZipEntry {
  readonly name: string;
  readonly packing: 'stored' | 'deflated';
  readonly start: number;
  readonly end: number;
  /** Unpacked length in bytes, and its CRC-32. */
  readonly size: number;
  readonly crc: number;
}

const NO_DIRECTORY = 'the zip file is damaged or cut short: its directory is missing';
const ZIP_DAMAGED = 'the zip file is damaged: its directory cannot be read';

const END_RECORD = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 0xffff;
const LOCATOR_64 = 0x07064b50;
const LOCATOR_64_BYTES = 20;
const END_64_BYTES = 56;
const ENTRY = 0x02014b50;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** In a field of 32 bits: the value is in the entry's 64-bit field. */
const IN_64 = 0xffffffff;
/** An archive of market data contains few files; a larger directory is refused. */
const DIRECTORY_LIMIT = 1 << 24;

/**
 * Finds a file in a zip file (sizes of 64 bits included), by its name or as the only one.
 * @throws Error where there is no such file.
 */
export function zipEntry(file: number, name: string | undefined): ZipEntry {
  return guarded(() => {
    const found = entriesOf(file).filter((entry) => name === undefined || entry.name === name);
    if (found.length === 1) return entryAt(file, found[0]!);
    throw new Error(`the zip file holds ${found.length} files; expected one: unpack it first and import the files`);
  });
}

const ROWS = /\.(csv|tsv|txt|json|jsonl|ndjson)$/i;

/** The names of the files of rows in a zip file: texts that go with CSV files (reports, licences) are none. Empty where it has one file or none. */
export function zipNames(file: number): readonly string[] {
  const names = guarded(() => entriesOf(file).map(({ name }) => name));
  if (names.length < 2) return [];
  const rows = names.filter((name) => ROWS.test(name));
  const tables = rows.filter((name) => !/\.txt$/i.test(name));
  return [tables, rows, names].find((chosen) => chosen.length > 0) ?? [];
}

function guarded<T>(look: () => T): T {
  try {
    return look();
  } catch (cause) {
    // A field that points outside the file.
    throw cause instanceof RangeError ? new Error(ZIP_DAMAGED, { cause }) : cause;
  }
}

/** An entry of the directory, folders and what macOS adds not counted. */
interface DirectoryEntry {
  readonly name: string;
  readonly directory: Buffer;
  readonly at: number;
}

function entriesOf(file: number): DirectoryEntry[] {
  const { at, bytes } = directoryPlace(file);
  if (bytes > DIRECTORY_LIMIT) throw new Error(ZIP_DAMAGED);
  const directory = bytesAt(file, at, bytes);
  const found: DirectoryEntry[] = [];
  for (let entry = 0; entry + ENTRY_BYTES <= directory.length; ) {
    if (directory.readUInt32LE(entry) !== ENTRY) throw new Error(ZIP_DAMAGED);
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => directory.readUInt16LE(entry + offset)) as [
      number,
      number,
      number,
    ];
    const name = directory.toString('utf8', entry + ENTRY_BYTES, entry + ENTRY_BYTES + nameBytes);
    if (!/\/$|^__MACOSX\//.test(name)) found.push({ name, directory, at: entry });
    entry += ENTRY_BYTES + nameBytes + extraBytes + commentBytes;
  }
  return found;
}

/** Where the directory of entries begins and how long it is. */
function directoryPlace(file: number): { at: number; bytes: number } {
  const { size } = fstatSync(file);
  const from = Math.max(0, size - END_BYTES - LONGEST_COMMENT);
  const tail = bytesAt(file, from, size - from);
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_RECORD) end--;
  if (end < 0) throw new Error(NO_DIRECTORY);
  const place = { at: tail.readUInt32LE(end + 16), bytes: tail.readUInt32LE(end + 12) };
  if (place.at !== IN_64 && place.bytes !== IN_64) return place;
  const locator = bytesAt(file, from + end - LOCATOR_64_BYTES, LOCATOR_64_BYTES);
  if (locator.readUInt32LE(0) !== LOCATOR_64) throw new Error(ZIP_DAMAGED);
  const end64 = bytesAt(file, long(locator, 8), END_64_BYTES);
  return { at: long(end64, 48), bytes: long(end64, 40) };
}

function entryAt(file: number, { directory, at: entry, name }: DirectoryEntry): ZipEntry {
  if ((directory.readUInt16LE(entry + 8) & 1) === 1) throw new Error(`the zip file is encrypted (${name}); unpack it first`);
  const method = directory.readUInt16LE(entry + 10);
  if (method !== 0 && method !== 8) throw new Error(`the zip file packs ${name} by method ${method}; expected deflate: unpack it first`);
  const [size, packedSize, at] = wideFields(directory, entry);
  const local = bytesAt(file, at, LOCAL_BYTES);
  const start = at + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
  return {
    name,
    packing: method === 0 ? 'stored' : 'deflated',
    start,
    end: start + packedSize,
    size,
    crc: directory.readUInt32LE(entry + 16),
  };
}

/** Unpacked size, packed size and offset of the local header, each taken from the 64-bit field where it does not fit 32 bits. */
function wideFields(directory: Buffer, entry: number): [number, number, number] {
  const values = [24, 20, 42].map((offset) => directory.readUInt32LE(entry + offset)) as [number, number, number];
  if (!values.includes(IN_64)) return values;
  let at = entry + ENTRY_BYTES + directory.readUInt16LE(entry + 28);
  const end = at + directory.readUInt16LE(entry + 30);
  while (at + 4 <= end && directory.readUInt16LE(at) !== 1) at += 4 + directory.readUInt16LE(at + 2);
  at += 4;
  return values.map((value) => {
    if (value !== IN_64) return value;
    if (at + 8 > end) throw new Error(ZIP_DAMAGED);
    at += 8;
    return long(directory, at - 8);
  }) as [number, number, number];
}

function long(bytes: Buffer, at: number): number {
  return Number(bytes.readBigUInt64LE(at));
}

/** That many bytes of the file. @throws Error where it has fewer. */
function bytesAt(file: number, at: number, count: number): Buffer {
  const bytes = Buffer.alloc(count);
  if (!Number.isSafeInteger(at) || at < 0 || readSync(file, bytes, 0, count, at) < count) throw new Error(ZIP_DAMAGED);
  return bytes;
}
