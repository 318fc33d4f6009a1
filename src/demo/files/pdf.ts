import type { SampleFile } from '../records/sample-record.ts';

/** A5, in points. */
const width = 420;
const height = 595;

/**
 * A small document (PDF 1.7, ISO 32000-1): a title page and some pages with a drawing. The properties hold title and
 * authors in their own script; the pages use the built-in Latin fonts alone, so they look the same everywhere.
 */
export function writePdf(file: SampleFile, random: () => number): Uint8Array {
  const pages = 2 + Math.floor(random() * 3);
  const contents = Array.from({ length: pages }, (_, page) =>
    page === 0 ? titlePage(file) : drawingPage(page + 1, random),
  );
  const first = 6;
  const kids = contents.map((_, index) => `${first + 2 * index} 0 R`);
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R /Lang (${file.cover.language.code}) /ViewerPreferences << /DisplayDocTitle true >> >>`,
    `<< /Type /Pages /Count ${pages} /Kids [${kids.join(' ')}] >>`,
    font('Helvetica-Bold'),
    font('Helvetica'),
    properties(file),
    ...contents.flatMap((content, index) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${first + 2 * index + 1} 0 R ` +
        '/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>',
      `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ]),
  ];
  return Buffer.from(assemble(objects), 'latin1');
}

/** One character is one byte throughout. */
function assemble(objects: readonly string[]): string {
  let text = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(text.length);
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
  }
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}trailer\n<< /Size ${size} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${start}\n%%EOF\n`;
}

function font(name: string): string {
  return `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
}

function properties({ cover, modifiedAt }: SampleFile): string {
  const date = `D:${modifiedAt.replace(/\D/g, '')}Z`;
  const authors = cover.creators.map(({ name }) => name).join('; ');
  return (
    `<< /Title ${unicode(cover.title)} /Author ${unicode(authors)} /Producer (The Sample Repository) ` +
    `/CreationDate (${date}) /ModDate (${date}) >>`
  );
}

/** UTF-16 with its mark, in hexadecimal (7.9.2.2). */
function unicode(text: string): string {
  return `<${Buffer.from(`\uFEFF${text}`, 'utf16le').swap16().toString('hex')}>`;
}

function titlePage({ cover, revision }: SampleFile): string {
  const authors = inLatin(cover.creators.map(({ reading }) => reading).join('; ')) ?? '';
  const title = inLatin(cover.title) ?? `No. ${1000 + cover.position}`;
  const abstract = inLatin(cover.description) ?? 'Title and abstract: see the properties of this document.';
  const note = `The Sample Repository, ${cover.year}${revision === 1 ? '' : `, revision ${revision}`}`;
  return [
    '0.15 0.25 0.4 rg 0 520 420 75 re f 0 g',
    ...paragraph('F1', 18, 470, title, 32),
    ...paragraph('F2', 11, 380, authors, 60),
    ...paragraph('F2', 10, 340, abstract, 68),
    ...paragraph('F2', 8, 60, note, 90),
    ...paragraph('F2', 8, 46, cover.identifier, 90),
  ].join('\n');
}

function drawingPage(number: number, random: () => number): string {
  const circles = Array.from({ length: 24 }, () => {
    const colour = [random(), random(), random()].map((part) => (0.3 + 0.7 * part).toFixed(2)).join(' ');
    return `${colour} rg ${circle(60 + random() * 300, 120 + random() * 380, 8 + random() * 45)} f`;
  });
  return [...circles, '0 g', ...paragraph('F2', 8, 46, `- ${number} -`, 90)].join('\n');
}

/** Four Bézier curves. */
function circle(x: number, y: number, r: number): string {
  const k = 0.5523 * r;
  const at = (...points: number[]) => points.map((point) => point.toFixed(1)).join(' ');
  return [
    `${at(x + r, y)} m`,
    `${at(x + r, y + k, x + k, y + r, x, y + r)} c`,
    `${at(x - k, y + r, x - r, y + k, x - r, y)} c`,
    `${at(x - r, y - k, x - k, y - r, x, y - r)} c`,
    `${at(x + k, y - r, x + r, y - k, x + r, y)} c`,
  ].join(' ');
}

/** @param text in the fonts' encoding */
function paragraph(face: string, size: number, y: number, text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length >= columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.map((line, index) => {
    const escaped = line.replace(/[\\()]/g, '\\$&');
    return `BT /${face} ${size} Tf 40 ${y - index * size * 1.4} Td (${escaped}) Tj ET`;
  });
}

/** What WinAnsiEncoding has beyond Latin-1 and is met in our titles. */
const extras: Readonly<Record<string, string>> = {
  '…': '\x85',
  Œ: '\x8c',
  '‘': '\x91',
  '’': '\x92',
  '“': '\x93',
  '”': '\x94',
  '–': '\x96',
  '—': '\x97',
  œ: '\x9c',
};

/** In the fonts' encoding, without pictographs; undefined for what is in another script. */
function inLatin(text: string): string | undefined {
  const plain = text.replace(/\s*\p{Extended_Pictographic}\uFE0F?/gu, '').normalize('NFC');
  const encoded = plain.replace(/[^\x20-\x7e\xa0-\xff]/g, (character) => extras[character] ?? '\0');
  return encoded.includes('\0') ? undefined : encoded;
}
