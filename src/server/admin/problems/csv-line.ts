/** What spreadsheets take for a formula: whoever wrote a record is not to act in the hands of who opens the file. */
const formula = /^[\s\p{Cc}\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20|%]|^[\t\r\n]/u;

/** A line of a file of values (RFC 4180) as spreadsheets read it. What could be a formula is a text, by a `'` before it. */
export function csvLine(values: readonly (string | undefined)[]): string {
  return `${values.map((value = '') => cell(value)).join(',')}\r\n`;
}

function cell(value: string): string {
  const text = formula.test(value) ? `'${value}` : value;
  return /[",\r\n';\t]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
