import { TextDecoder } from 'node:util';
import { BridgeError } from '../../../core/errors.ts';

const marks = [
  { bytes: [0xef, 0xbb, 0xbf], encoding: 'utf-8' },
  { bytes: [0xff, 0xfe], encoding: 'utf-16le' },
  { bytes: [0xfe, 0xff], encoding: 'utf-16be' },
] as const;

/** As spreadsheets write them where nobody asked for Unicode; all bytes are text in the last. */
const older = ['shift_jis', 'windows-1252'] as const;

/**
 * The text of a list, in whichever encoding: the one that its first bytes mark, UTF-8 if it is that, else an older one.
 * @throws BridgeError `usage` where it is no text
 */
export function listText(bytes: Uint8Array): string {
  const mark = marks.find((one) => one.bytes.every((byte, index) => bytes[index] === byte));
  const text = mark ? new TextDecoder(mark.encoding).decode(bytes) : decode(bytes);
  if (text.includes('\0'))
    throw new BridgeError(
      'usage',
      'this is no text; write CSV, JSON or XML (in a spreadsheet, save the table as CSV)',
    );
  return text;
}

function decode(bytes: Uint8Array): string {
  for (const encoding of ['utf-8', ...older]) {
    try {
      return new TextDecoder(encoding, { fatal: true }).decode(bytes);
    } catch {
      // Not this one.
    }
  }
  return new TextDecoder(older[1]).decode(bytes);
}
