import { below, type Outline } from '../descriptions/xml-outline.ts';
import { type CrosswalkFinding, missing } from './finding.ts';

/**
 * What a published document lacks that its target asks for: JPCOAR 1.0 and later, for IRDB and NDL; OpenAIRE's
 * guidelines for literature repositories 4. It does not matter who has made the document.
 * @returns undefined for a document of another kind
 */
export function lacksOf(root: Outline): readonly CrosswalkFinding[] | undefined {
  if (root.local === 'jpcoar') return new Lacks(root).jpcoar();
  const isOpenaire =
    root.local === 'resource' && root.namespace === 'http://namespace.openaire.eu/schema/oaire/';
  return isOpenaire ? new Lacks(root).openaire() : undefined;
}

const theses: readonly string[] = ['thesis', 'bachelor thesis', 'master thesis', 'doctoral thesis'];
const noAccess = 'Its repository does not say who may read its files.';
const noDate = 'It has no legible date of publication.';
const noFile = 'It is open access, but none of its files is known to be for everybody.';

class Lacks {
  readonly #root: Outline;
  readonly #found: CrosswalkFinding[] = [];

  constructor(root: Outline) {
    this.#root = root;
  }

  jpcoar(): readonly CrosswalkFinding[] {
    const type = this.#texts('type')[0] ?? '';
    const isThesis = theses.includes(type);
    this.#ask('title', 'dc:title', 'M', 'It has no title.');
    this.#ask('type', 'dc:type', 'M', 'It does not say what kind of work it is.');
    this.#ask('identifier', 'jpcoar:identifier', 'M', 'It has no identifier.');
    const author = isThesis ? 'IRDB refuses a thesis without its author.' : 'Nobody is named as its author.';
    this.#ask('creator', 'jpcoar:creator', isThesis ? 'M' : 'MA', author);
    this.#ask('accessRights', 'dcterms:accessRights', 'MA', noAccess);
    this.#askIf(this.#hasDate('Issued'), 'datacite:date@Issued', 'MA', noDate);
    this.#ask('language', 'dc:language', 'MA', 'It does not say its language.');
    const [access] = this.#texts('accessRights');
    if (access === 'open access') this.#ask('file', 'jpcoar:file', 'MA', noFile);
    if (access === 'embargoed access')
      this.#askIf(
        this.#hasDate('Available'),
        'datacite:date@Available',
        'M',
        'It does not say when its embargo ends.',
      );
    if (type !== 'doctoral thesis') return this.#found;
    const asked = 'NDL and IRDB ask for it of a doctoral thesis.';
    this.#ask('dissertationNumber', 'dcndl:dissertationNumber', 'MA', asked);
    this.#ask('degreeName', 'dcndl:degreeName', 'MA', asked);
    this.#ask('dateGranted', 'dcndl:dateGranted', 'MA', asked);
    this.#ask('degreeGrantor', 'jpcoar:degreeGrantor', 'MA', asked);
    return this.#found;
  }

  openaire(): readonly CrosswalkFinding[] {
    this.#ask('titles', 'datacite:title', 'M', 'It has no title.');
    this.#ask('creators', 'datacite:creator', 'MA', 'Nobody is named as its author.');
    this.#askIf(this.#hasDate('Issued'), 'datacite:date@Issued', 'M', noDate);
    this.#ask('resourceType', 'oaire:resourceType', 'M', 'It does not say what kind of work it is.');
    this.#ask('identifier', 'datacite:identifier', 'M', 'It has no identifier.');
    this.#ask('rights', 'datacite:rights', 'M', noAccess);
    this.#ask('language', 'dc:language', 'MA', 'It does not say its language.');
    this.#ask('publisher', 'dc:publisher', 'MA', 'It does not name its publisher.');
    this.#ask('description', 'dc:description', 'MA', 'It has no abstract or other description.');
    this.#ask('subjects', 'datacite:subject', 'MA', 'It has no subjects.');
    const [access] = below(this.#root, 'rights').map(({ attributes }) => attributes.get('rightsURI') ?? '');
    if (access?.endsWith('/c_abf2')) this.#ask('file', 'oaire:file', 'MA', noFile);
    if (access?.endsWith('/c_f1cf'))
      this.#askIf(
        this.#hasDate('Available'),
        'datacite:date@Available',
        'MA',
        'It does not say when its embargo ends.',
      );
    return this.#found;
  }

  #texts(local: string): readonly string[] {
    return below(this.#root, local).map(({ text }) => text.trim());
  }

  #hasDate(type: string): boolean {
    const dates = [this.#root, ...below(this.#root, 'dates')].flatMap((element) => below(element, 'date'));
    return dates.some(({ attributes, text }) => attributes.get('dateType') === type && text.trim() !== '');
  }

  #ask(local: string, element: string, level: 'M' | 'MA', message: string): void {
    this.#askIf(below(this.#root, local).some(hasContent), element, level, message);
  }

  #askIf(has: boolean, element: string, level: 'M' | 'MA', message: string): void {
    if (!has) this.#found.push(missing(element, level, message));
  }
}

function hasContent({ text, children }: Outline): boolean {
  return text.trim() !== '' || children.length > 0;
}
