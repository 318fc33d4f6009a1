import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { fieldRules } from '../../../src/core/crosswalks/field-rules.ts';
import { writeWork } from '../../../src/core/crosswalks/target.ts';
import { resourceTypes } from '../../../src/core/crosswalks/vocabularies/resource-types.ts';
import type { Circumstances } from '../../../src/core/crosswalks/work.ts';
import { crosswalkVersion, describeWriting } from '../../../src/core/crosswalks/writing.ts';
import { item, value } from '../../house/core/items.ts';

const said = [
  ...[
    '雪',
    'ゆき',
    'Snow',
    'Снег',
    '2020',
    '2020-01-02T03:04:05.6Z',
    'en_US',
    'e12',
    '34',
    '1234-5679',
    'AA12032633',
  ],
  ...[
    '10.1234/x',
    'ISBN 978-3-16-148410-0',
    'http://creativecommons.org/licenses/by/4.0/',
    'AM',
    'Terada,Torahiko',
  ],
  ...['University of Snow', 'info:eu-repo/grantAgreement/EC/H2020/1', '博士'],
];

function* documents(): Generator<string> {
  const around: Circumstances = {
    ...{ page: 'https://repo.example.org/items/1', access: 'embargoed', availableAt: '2050-01-01T00:00:00Z' },
    files: [
      { url: 'https://repo.example.org/1', name: 'a.pdf', mediaType: 'application/pdf', length: 812_544 },
    ],
  };
  const names = fieldRules.flatMap(({ fields }) => fields).map((field) => field.replace('*', 'own'));
  const enough = [value('dc.title', 'A'), value('dc.type', 'Thesis')];
  const items = [
    item(names.flatMap((name) => said.map((text) => value(name, text)))),
    ...said.map((text) => item([...enough, ...names.map((name) => value(name, text))])),
    ...resourceTypes.flatMap(({ jpcoar, words }) =>
      [jpcoar.label, ...words].map((word) => item([value('dc.title', 'A'), value('dc.type', word)])),
    ),
  ];
  for (const one of items)
    for (const target of ['jpcoar_2.0', 'oai_openaire'] as const)
      yield writeWork(target, one, around).document ?? '';
}

// If this fails, and is meant to: raise `crosswalkVersion`, so that what is stored is read again, and take the new hash.
test('another text is another version', () => {
  const hash = createHash('sha256');
  for (const document of documents()) hash.update(document);
  expect({ crosswalkVersion, hash: hash.digest('base64url').slice(0, 12) }).toEqual({
    crosswalkVersion: 1,
    hash: '_1cPCHK-kD1Q',
  });
});

test('what documents depend on is the same in any order, and nothing where there are none', () => {
  const formats = ['oai_dc', 'jpcoar_2.0'];
  const settings = { fields: { 'a.b': 'title', 'a.c': 'nothing' }, doiPrefixes: ['10.2', '10.1'] };
  const other = { doiPrefixes: ['10.1', '10.2'], fields: { 'a.c': 'nothing', 'a.b': 'title' } };
  expect(describeWriting(formats, settings)).toEqual(describeWriting(formats, other));
  expect(describeWriting(formats, settings)).not.toEqual(describeWriting(formats, {}));
  expect(describeWriting(formats, { jpcoar: settings.fields })).not.toEqual(
    describeWriting(formats, { openaire: settings.fields }),
  );
  expect(describeWriting(['oai_dc', 'json'], settings)).toBeUndefined();
});
