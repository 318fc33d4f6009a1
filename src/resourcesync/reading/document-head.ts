import type { Report } from '../documents/report.ts';
import type { SourcePort } from '../source-port.ts';
import { fetchDocument } from './fetched-document.ts';
import { type DocumentOpening, listsResources, type SourceDocument } from './source-document.ts';

/** Ends reading: the rest is of no interest. */
class Enough extends Error {
  readonly head: DocumentOpening;

  constructor(head: DocumentOpening) {
    super('the head of the document is enough');
    this.head = head;
  }
}

/** A document of documents as a whole; of a list of resources its head, whatever its length. */
export async function headOf(uri: string, port: SourcePort, report: Report): Promise<SourceDocument> {
  try {
    const opened = (head: DocumentOpening) => {
      if (!head.isIndex && listsResources(head.capability)) throw new Enough(head);
    };
    const fetched = await fetchDocument(port, uri, { opened }, report);
    if (fetched === undefined) throw new Error(`nobody asked whether ${uri} has changed`);
    return fetched.document;
  } catch (error) {
    if (!(error instanceof Enough)) throw error;
    return { ...error.head, uri, members: [], statements: 0 };
  }
}
