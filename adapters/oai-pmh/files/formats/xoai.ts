import type { Extractor } from '../reading/extractor.ts';
import type { StatedFile } from '../reading/found-files.ts';
import type { PayloadElement } from '../reading/payload-reader.ts';
import { embargo, readAccess, readAvailableAt, type StatedAccess } from '../reading/stated-access.ts';
import { readHash } from '../reading/stated-hash.ts';

interface Bitstream {
  readonly fields: Map<string, string>;
  policies: Map<string, string>[] | undefined;
}

/** What is kept of a bitstream until the whole item is known: its fields as a map would be five times as large. */
interface ReadBitstream {
  readonly file: StatedFile;
  readonly access: StatedAccess | undefined;
}

/**
 * DSpace's own dump of an item: everything is an `<element name="…">` or a `<field name="…">`. Its files are the
 * bitstreams of the bundle ORIGINAL; TEXT, THUMBNAIL, LICENSE and the others are made from them or about them.
 */
export const xoai: Extractor = (found) => {
  let bundle: { name: string | undefined; bitstreams: ReadBitstream[] } | undefined;
  let bitstream: Bitstream | undefined;
  let policy: Map<string, string> | undefined;
  const original: ReadBitstream[] = [];
  let status: string | undefined;
  let embargoEnd: string | undefined;
  // LA Referencia's dumps have what was an OpenAIRE record, file elements included.
  const openaireFiles: Map<string, string>[] = [];

  const closeBitstream = () => {
    if (bitstream !== undefined && bundle !== undefined) {
      const { fields, policies } = bitstream;
      bundle.bitstreams.push({ file: statedFile(fields), access: accessOfBitstream(policies) });
    }
    bitstream = undefined;
  };
  const openElement = (name: string | undefined, parent: string | undefined) => {
    if (name === 'file' && parent === 'files') openaireFiles.push(new Map());
    else if (name === 'bundle') bundle = { name: undefined, bitstreams: [] };
    else if (name === 'bitstream' && bundle !== undefined) {
      closeBitstream();
      bitstream = { fields: new Map(), policies: undefined };
    } else if (name === 'resourcePolicies' && bitstream !== undefined) bitstream.policies ??= [];
    else if (name === 'resourcePolicy' && bitstream?.policies !== undefined) {
      policy = new Map();
      bitstream.policies.push(policy);
    }
  };
  const closeField = (element: PayloadElement, text: string) => {
    const name = element.attribute('name') ?? '';
    const parent = element.parent?.attribute('name');
    if (parent === 'resourcePolicy') policy?.set(name, text);
    else if (parent === 'bitstream') bitstream?.fields.set(name, text);
    else if (parent === 'file') openaireFiles.at(-1)?.set(name, text);
    else if (parent === 'bundle' && bundle !== undefined && name === 'name') bundle.name = text;
    else if (parent === 'access-status' && name === 'value') status ??= text;
    else if (parent === 'access-status' && name === 'embargo') embargoEnd ??= text;
    else if (parent === 'embargo' && element.parent?.parent?.attribute('name') === 'access-status') {
      embargoEnd ??= text;
    }
  };

  return {
    open: (element) => {
      if (element.local === 'element')
        openElement(element.attribute('name'), element.parent?.attribute('name'));
    },
    close: (element, text) => {
      if (element.local === 'field') closeField(element, text);
      else if (element.local === 'element') {
        const name = element.attribute('name');
        if (name === 'bundle' && bundle !== undefined) {
          if (bundle.name?.toUpperCase() === 'ORIGINAL')
            for (const one of bundle.bitstreams) original.push(one);
          bundle = undefined;
        } else if (name === 'bitstream') closeBitstream();
        else if (name === 'resourcePolicy') policy = undefined;
      }
    },
    end: () => {
      const ofItem = accessOfItem(status, embargoEnd);
      for (const { file, access } of original) found.add({ ...file, access: access ?? ofItem });
      for (const file of openaireFiles) {
        const access = readAccess(file.get('accessRightsURI'));
        found.add({
          url: file.get('value') ?? '',
          mediaType: file.get('mimeType'),
          access: access && (access === 'embargoed' ? embargo(undefined) : { access }),
        });
      }
    },
  };
};

function statedFile(fields: ReadonlyMap<string, string>): StatedFile {
  return {
    url: fields.get('url') ?? '',
    // LA Referencia's dumps of DSpace 5 call it so.
    name: fields.get('name') || fields.get('originalName'),
    mediaType: fields.get('format'),
    length: fields.get('size'),
    hash: readHash(fields.get('checksumAlgorithm'), fields.get('checksum')),
    position: fields.get('sid'),
  };
}

/** DSpace lists a start date only while it lies ahead. Without a list of policies nothing is said. */
function accessOfBitstream(
  policies: readonly ReadonlyMap<string, string>[] | undefined,
): StatedAccess | undefined {
  if (policies === undefined) return undefined;
  const readable = policies.filter(
    (policy) =>
      policy.get('group')?.toLowerCase() === 'anonymous' && policy.get('action')?.toUpperCase() === 'READ',
  );
  if (readable.length === 0) return { access: 'restricted' };
  const starts = readable.map((policy) => readAvailableAt(policy.get('start-date')));
  if (starts.includes(undefined)) return { access: 'open' };
  return embargo(starts.sort()[0]);
}

/** DSpace 8 and later. */
function accessOfItem(status: string | undefined, embargoEnd: string | undefined): StatedAccess | undefined {
  const access = readAccess(status);
  if (access === undefined) return undefined;
  return access === 'embargoed' ? embargo(readAvailableAt(embargoEnd)) : { access };
}
