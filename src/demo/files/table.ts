import type { SampleFile } from '../records/sample-record.ts';

const remarks = [
  '',
  '',
  'fog',
  'observer late',
  'counted twice',
  '霧',
  'no wind',
  '"probably an owl"',
  'rain, then more',
];

/** CSV (RFC 4180): a year of observations, UTF-8. */
export function writeTable({ cover }: SampleFile, random: () => number): Uint8Array {
  const lines = ['date,station,count,remark'];
  const rows = 60 + Math.floor(random() * 240);
  for (let row = 0; row < rows; row += 1) {
    const day = new Date(Date.UTC(cover.year, 0, 1 + Math.floor((row * 365) / rows)));
    const station = `S-${1 + Math.floor(random() * 9)}`;
    const remark = remarks[Math.floor(random() * remarks.length)] ?? '';
    lines.push(
      [day.toISOString().slice(0, 10), station, String(Math.floor(random() * 500)), quoted(remark)].join(','),
    );
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n`, 'utf8');
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
