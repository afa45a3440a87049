import { Inflate } from 'fflate';
import type { ByteSource } from './byte-source.ts';
import { Unpacking } from './unpacking.ts';
import { zipEntry } from './zip-entry.ts';

/**
 * The bytes of the one file in an open zip file; its checksum is verified. Closing closes the file.
 * @throws Error saying why it cannot be read: several files in it, encryption, another packing, damage.
 */
export function zipBytes(file: number): ByteSource {
  const { name, packing, start, end, size, crc } = zipEntry(file);
  const inflate = new Inflate((bytes) => source.give(bytes));
  const source = new Unpacking(file, start, end, (packed, last) => {
    try {
      if (packing === 'stored') source.give(packed);
      else inflate.push(packed, last);
    } catch (cause) {
      throw new Error(`the zip file is damaged: ${name} does not unpack`, { cause });
    }
    if (last && (source.crc !== crc || source.length !== size))
      throw new Error(`the zip file is damaged: the checksum of ${name} does not match`);
  });
  return source;
}
