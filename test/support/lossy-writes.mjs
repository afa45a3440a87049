// Loaded before the program (node --import): the nth write to files whose names end so is said to be done and is not.
// TIDEGATE_LOSE is {"file", "nth"}.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { file, nth } = JSON.parse(process.env.TIDEGATE_LOSE);
const meant = new Set();
let seen = 0;
const { openSync, writeSync } = fs;
fs.openSync = (path, ...more) => {
  const descriptor = openSync(path, ...more);
  if (String(path).endsWith(file)) meant.add(descriptor);
  else meant.delete(descriptor);
  return descriptor;
};
fs.writeSync = (descriptor, bytes, ...more) =>
  meant.has(descriptor) && ++seen === nth ? bytes.length : writeSync(descriptor, bytes, ...more);
syncBuiltinESMExports();
