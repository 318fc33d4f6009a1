import { XmlC14NMode, XmlDocument } from 'libxml2-wasm';

/** A document as a second parser understands it: where namespaces are declared makes no difference. */
export function meaningOf(document: string | Uint8Array): string {
  const bytes = typeof document === 'string' ? Buffer.from(document, 'utf8') : document;
  const parsed = XmlDocument.fromBuffer(bytes);
  try {
    return parsed.root.canonicalizeToString({ mode: XmlC14NMode.XML_C14N_EXCLUSIVE_1_0, withComments: true });
  } finally {
    parsed.dispose();
  }
}
