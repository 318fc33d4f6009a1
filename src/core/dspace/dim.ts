import type { DspaceItem } from './dspace-item.ts';
import { flatDocument, renderElement } from './xml-document.ts';

export const dimNamespace = 'http://www.dspace.org/xmlns/dspace/dim';
export const dimSchema = 'http://www.dspace.org/schema/dim.xsd';

const document = flatDocument({
  name: 'dim:dim',
  namespaces: [['dim', dimNamespace]],
  schemaLocation: `${dimNamespace} ${dimSchema}`,
});

/** DSpace's own form of an item's metadata: every field of every schema, with language and authority. */
export function toDim({ metadata }: DspaceItem): string {
  return document.render(
    metadata.map(({ schema, element, qualifier, language, authority, confidence, value }) =>
      renderElement(
        'dim:field',
        [
          ['mdschema', schema],
          ['element', element],
          ['qualifier', qualifier],
          ['lang', language],
          ['authority', authority],
          ['confidence', confidence === undefined ? undefined : String(confidence)],
        ],
        value,
      ),
    ),
  );
}
