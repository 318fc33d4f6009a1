import { expect, test } from 'vitest';
import { itemJsonProfile } from '../../src/core/dspace/item-json.ts';
import { offeredAmong } from '../../src/oai/formats.ts';

test('qdc of a DSpace is stated as DSpaces state it, and look for it', () => {
  const namespace = 'http://purl.org/dc/terms/';
  const ofPayload = 'http://www.ukoln.ac.uk/metadata/dcmi/xmlschema/qualifieddc.xsd';
  const formats = [{ name: 'qdc', namespace, schema: ofPayload, selected: true, offered: true }];
  expect(
    offeredAmong({
      ...{ name: 'Repository', protocol: 'DSpace REST', protocolVersion: '10.1' },
      ...{ deletedRecords: 'no', granularity: 'second', formats },
    }),
  ).toEqual([
    { prefix: 'qdc', namespace, schema: 'http://dublincore.org/schemas/xmls/qdc/2006/01/06/dcterms.xsd' },
  ]);
});

test('items in JSON are not offered, also where nothing but tombstones is left of them', () => {
  const formats = [{ name: 'json', namespace: itemJsonProfile, selected: true, offered: true }];
  expect(
    offeredAmong({
      ...{ name: 'Repository', protocol: 'DSpace REST', protocolVersion: '10.1' },
      ...{ deletedRecords: 'no', granularity: 'second', formats },
    }),
  ).toEqual([]);
});
