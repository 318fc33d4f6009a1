import type { Term } from './coar-terms.ts';

/** As OpenAIRE's guidelines 4 divide them. */
export type GeneralType = 'literature' | 'dataset' | 'software' | 'other research product';

/** One kind of work, in the words of both targets. */
export interface ResourceType {
  readonly jpcoar: Term;
  readonly openaire: Term;
  readonly general: GeneralType;
  /** Other words that repositories have for it, in lower case. */
  readonly words: readonly string[];
}

const base = 'http://purl.org/coar/resource_type/';

function term(label: string, name: string): Term {
  return { label, uri: `${base}${name}` };
}

/** The same term in both. */
function both(label: string, name: string, general: GeneralType, ...words: readonly string[]): ResourceType {
  return { jpcoar: term(label, name), openaire: term(label, name), general, words };
}

const text = 'literature';
const product = 'other research product';

/** Of a work that neither target has a better word for. */
export const otherType: ResourceType = both('other', 'c_1843', product, 'others', 'annotation');

export const thesisType: ResourceType = both('thesis', 'c_46ec', text, 'thesis or dissertation');
export const doctoralThesis: ResourceType = both(
  'doctoral thesis',
  'c_db06',
  text,
  'doctoralthesis',
  'doctoral dissertation',
  'phd thesis',
  '博士論文',
);
export const masterThesis: ResourceType = both(
  'master thesis',
  'c_bdcc',
  text,
  'masterthesis',
  "master's thesis",
  '修士論文',
);
export const bachelorThesis: ResourceType = both(
  'bachelor thesis',
  'c_7a1f',
  text,
  'bachelorthesis',
  "bachelor's thesis",
  '卒業論文',
);

/** JPCOAR 2.0 has no word for it. */
export const preprint: ResourceType = {
  jpcoar: otherType.jpcoar,
  openaire: term('preprint', 'c_816b'),
  general: text,
  words: ['preprint'],
};

const journalArticle = both(
  'journal article',
  'c_6501',
  text,
  'research article',
  'journal article (peer reviewed)',
);

/**
 * Labels of JPCOAR 2.0 (`jpcoar_scm.xsd`, resourceTypeVocab) with their URIs of COAR Resource Types 3
 * (http://vocabularies.coar-repositories.org/resource_types/); what OpenAIRE's own list (`oaire-resourceType-v4.xsd`) has
 * for each; and the words of DSpace's list (`input-forms`, common_types), of NIItype and of info:eu-repo/semantics.
 * DSpace's `Article` is one of a journal.
 */
export const resourceTypes: readonly ResourceType[] = [
  otherType,
  { ...journalArticle, words: [...journalArticle.words, 'article'] },
  {
    jpcoar: term('departmental bulletin paper', 'c_6501'),
    openaire: journalArticle.openaire,
    general: text,
    words: ['紀要論文'],
  },
  {
    jpcoar: term('article', 'c_6501'),
    openaire: term('contribution to journal', 'c_3e5a'),
    general: text,
    words: ['contributiontoperiodical'],
  },
  both('conference paper', 'c_5794', text, 'conferencepaper', 'conference paper (published)'),
  both('data paper', 'c_beb9', text),
  both('editorial', 'c_b239', text),
  both('journal', 'c_0640', text),
  both('review article', 'c_dcae04bc', text),
  both('book', 'c_2f33', text, 'monograph', '図書'),
  both('book part', 'c_3248', text, 'bookpart', 'book chapter', 'chapter'),
  both('cartographic material', 'c_12cc', product),
  both('map', 'c_12cd', product),
  {
    jpcoar: term('conference output', 'c_c94f'),
    openaire: term('conference object', 'c_c94f'),
    general: text,
    words: ['conferenceobject', 'conference object'],
  },
  {
    jpcoar: term('conference presentation', 'R60J-J5BD'),
    openaire: term('conference object', 'c_c94f'),
    general: text,
    words: ['presentation'],
  },
  both('conference proceedings', 'c_f744', text, 'conferenceproceedings'),
  both('conference poster', 'c_6670', text, 'conferenceposter'),
  both('dataset', 'c_ddb1', 'dataset', 'data or dataset', 'data set', 'データセット'),
  both('image', 'c_c513', product, 'image, 3-d'),
  both('still image', 'c_ecc8', product),
  both('moving image', 'c_8a7e', product, 'animation'),
  both('video', 'c_12ce', product),
  both('lecture', 'c_8544', product),
  both('patent', 'c_15cd', text),
  both('report', 'c_93fc', text),
  both('research report', 'c_18ws', text, 'research paper'),
  both('technical report', 'c_18gh', text),
  both('policy report', 'c_186u', text),
  both('working paper', 'c_8042', text, 'workingpaper'),
  both('sound', 'c_18cc', product, 'recording, acoustical', 'recording, musical', 'recording, oral'),
  both('interactive resource', 'c_e9a0', product),
  {
    jpcoar: term('learning object', 'c_e059'),
    openaire: otherType.openaire,
    general: product,
    words: ['learning material'],
  },
  both('musical notation', 'c_18cw', product, 'musical score'),
  {
    jpcoar: term('design', '542X-3S04/'),
    openaire: otherType.openaire,
    general: product,
    words: ['plan or blueprint'],
  },
  both('research proposal', 'c_baaf', text),
  both('software', 'c_5ce6', 'software'),
  both('technical documentation', 'c_71bd', text),
  both('workflow', 'c_393c', product),
  thesisType,
  bachelorThesis,
  masterThesis,
  doctoralThesis,
  preprint,
];

/** URIs first: what they name, words do not. Departmental bulletin papers share theirs with journal articles. */
const byWord: ReadonlyMap<string, ResourceType> = new Map(
  resourceTypes
    .flatMap((type) =>
      [...type.words, type.openaire.label, type.openaire.uri, type.jpcoar.label, type.jpcoar.uri].map(
        (word) => [keyOf(word), type] as const,
      ),
    )
    // The first that has a word keeps it.
    .reverse(),
);

/** NIItype's `Article` and `Presentation` are not DSpace's. */
const niiWords: ReadonlyMap<string, string> = new Map([
  ['article', 'contributiontoperiodical'],
  ['presentation', 'conferenceobject'],
]);

/** @returns undefined for a word that nobody has */
export function readResourceType(stated: string, isNii = false): ResourceType | undefined {
  const key = keyOf(stated);
  return byWord.get((isNii ? niiWords.get(key) : undefined) ?? key);
}

function keyOf(word: string): string {
  return word
    .trim()
    .replace(/^info:eu-repo\/semantics\//i, '')
    .replace(/^https:\/\/purl\.org\//i, 'http://purl.org/')
    .replace(/\/$/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
}

/** What kind of thesis a degree is for. */
export function thesisFor(degrees: readonly string[]): ResourceType | undefined {
  const words = degrees.join(' ');
  // The first two years of a doctoral course end with a master's degree.
  if (/master|\bm\.(?:a|s|eng|phil|ed)\b|修士|博士(?:課程)?前期/i.test(words)) return masterThesis;
  if (/doctor|\bph\.?\s?d\b|博士/i.test(words)) return doctoralThesis;
  if (/bachelor|学士/i.test(words)) return bachelorThesis;
  return undefined;
}

export function isThesis({ jpcoar: { label } }: ResourceType): boolean {
  return label.endsWith('thesis');
}
