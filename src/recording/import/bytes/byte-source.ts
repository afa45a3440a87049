/** The bytes of a file from its start, unpacked where it is packed, in bounded memory. */
export interface ByteSource {
  /** Fills `target` from `offset` on; returns how many bytes came, 0 at the end. @throws Error saying what is damaged. */
  read(target: Buffer, offset: number): number;
  close(): void;
}
