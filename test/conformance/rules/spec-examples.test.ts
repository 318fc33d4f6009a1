import { createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkDocument } from '../../../src/conformance/rules/document-check.ts';
import { sharedSpec } from '../../house/publish/shared-material.ts';

const examples = sharedSpec('examples');

/** The examples that the specification's own text contradicts, each by the erratum or remark that says so. */
const errata: Readonly<Record<string, readonly string[]>> = {
  // Printed in abbreviated form, without the up link that §6.2 demands (examples/README.md).
  'example-01.xml': ['RS-NAV-01', 'RS-RL-04'],
  'example-02.xml': ['RS-NAV-01', 'RS-RL-04'],
  'example-03.xml': ['RS-NAV-01', 'RS-CL-06'],
  'example-04.xml': ['RS-NAV-01', 'RS-RD-03'],
  'example-05.xml': ['RS-NAV-01', 'RS-RDM-05'],
  'example-08.xml': ['RS-NAV-01', 'RS-RLI-04'],
  // E-02: hashes that are not hex.
  'example-27.xml': ['RS-ATTR-08'],
  // E-05: a memento of another moment than lastmod.
  'example-29.xml': ['RS-LN-20'],
};

describe.skipIf(examples === undefined)(
  'the examples of the specification have no errors but the known ones',
  () => {
    const names = examples === undefined ? [] : readdirSync(examples).filter((name) => name.endsWith('.xml'));

    it('there are thirty', () => expect(names).toHaveLength(30));

    it.each(names)('%s', async (name) => {
      const { kind, findings } = await checkDocument(createReadStream(join(examples ?? '', name)));
      expect(kind).toBeDefined();
      const errors = findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule);
      expect([...new Set(errors)]).toEqual(errata[name] ?? []);
    });
  },
);

describe.skipIf(examples === undefined)(
  'the examples of Archives 0.9.1 and of the Notifications 1.0.1',
  () => {
    const folder = join(examples ?? '', 'companions');
    const names = examples === undefined ? [] : readdirSync(folder).filter((name) => name.endsWith('.xml'));

    it('seven are of the Archives', () =>
      expect(names.filter((name) => name.startsWith('archives'))).toHaveLength(7));

    it.each(names)('%s has no error', async (name) => {
      const { kind, findings } = await checkDocument(createReadStream(join(folder, name)));
      // A notification is no document of the core: of it the form alone is checked.
      if (name.startsWith('archives')) expect(kind).toBeDefined();
      expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    });
  },
);
