import { createHash } from 'node:crypto';

/** Whether a mutant is drawn: for the same seed always the same, whatever else there is. Lines and columns from 0. */
export function isDrawn({ fileName, location, mutatorName, replacement }, { share, seed }) {
  const { start, end } = location;
  const mutant = [fileName, start.line, start.column, end.line, end.column, mutatorName, replacement, seed];
  return createHash('sha256').update(JSON.stringify(mutant)).digest().readUInt32BE() < share * 2 ** 32;
}
