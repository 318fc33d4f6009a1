import type { Cover, SampleFile, SampleRecord } from './sample-record.ts';

/** The two that are not for everybody. */
const restricted = 8;
const embargoed = 14;
const embargoEnd = '2036-04-01T00:00:00Z';
/** A book of plates: more links than a header field should hold. */
const album = 20;

/** The files that the record at this position begins with. */
export function createFiles(
  cover: Cover,
  type: SampleRecord['type'],
  modifiedAt: string,
): readonly SampleFile[] {
  const { position, language } = cover;
  const make = (name: string, kind: SampleFile['kind']): SampleFile => ({
    name,
    kind,
    access: 'open',
    revision: 1,
    modifiedAt,
    cover,
  });
  const paper = make(
    type === 'thesis' ? 'thesis.pdf' : language.code === 'ja' ? '本文.pdf' : 'fulltext.pdf',
    'paper',
  );
  if (position === restricted) return [{ ...paper, access: 'restricted' }];
  if (position === embargoed) return [{ ...paper, access: 'embargoed', availableAt: embargoEnd }];
  if (position === album) {
    return Array.from({ length: 12 }, (_, index) =>
      index % 2 === 0
        ? make(`plate-${index + 1}.png`, 'drawing')
        : make(`plate-${index + 1}.jpg`, 'photograph'),
    );
  }
  if (position % 11 === 5) return [];
  if (position % 13 === 6) return [paper, make('observations.csv', 'dataset')];
  if (position % 17 === 4) {
    return [paper, make('plate 1.png', 'drawing'), make('plate-2.jpg', 'photograph')];
  }
  return [paper];
}

/** Repositories that grew have such corners: the files are there, and only the landing page says so. */
export function areOnPageAlone({ position, hasPage }: SampleRecord): boolean {
  return hasPage && position % 37 === 20;
}

/** One more: by turns a table and a drawing. */
export function addFile(record: SampleRecord, modifiedAt: string): SampleFile {
  const count = record.files.length + 1;
  const taken = new Set(record.files.map(({ name }) => name));
  const [stem, ending, kind] =
    count % 2 === 0 ? (['supplement', 'csv', 'dataset'] as const) : (['figure', 'png', 'drawing'] as const);
  let number = count;
  while (taken.has(`${stem}-${number}.${ending}`)) number += 1;
  return {
    name: `${stem}-${number}.${ending}`,
    kind,
    access: 'open',
    revision: 1,
    modifiedAt,
    cover: coverOf(record),
  };
}

export function replaceFile(record: SampleRecord, file: SampleFile, modifiedAt: string): SampleFile {
  return { ...file, revision: file.revision + 1, modifiedAt, cover: coverOf(record) };
}

function coverOf({
  position,
  identifier,
  title,
  description,
  creators,
  year,
  language,
}: SampleRecord): Cover {
  return { position, identifier, title, description, creators, year, language };
}
