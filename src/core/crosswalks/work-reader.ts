import { readDoi } from '../descriptions/persistent-identifiers.ts';
import type { DspaceItem } from '../dspace/dspace-item.ts';
import { legalText } from '../dspace/xml-document.ts';
import { type Statement, Statements } from './statements.ts';
import { type AccessRight, readVersion, type Term, versions } from './vocabularies/coar-terms.ts';
import { w3cDate } from './vocabularies/dates.ts';
import { readIdentifier, readIsbn, readIssn, readNcid } from './vocabularies/identifiers.ts';
import { languageCode, shortCode } from './vocabularies/language-codes.ts';
import { readLicences } from './vocabularies/licences.ts';
import { looksLikeBody, type Name, nameOf, readOrcid } from './vocabularies/people.ts';
import {
  otherType,
  preprint,
  type ResourceType,
  readResourceType,
  thesisFor,
  thesisType,
} from './vocabularies/resource-types.ts';
import { textLanguage } from './vocabularies/text-language.ts';
import type { Circumstances, Grant, Identifiers, Relation, Remark, Text, Work, WorkReading } from './work.ts';

/** Reads an item; whatever its values are, the work has only what both targets' schemas take. */
export function readWork(item: DspaceItem, circumstances: Circumstances): WorkReading {
  return new Reader(item, circumstances).read();
}

const citationParts = ['volume', 'issue', 'pageStart', 'pageEnd'];

class Reader {
  readonly #item: DspaceItem;
  readonly #around: Circumstances;
  readonly #said: Statements;
  readonly #remarks: Remark[] = [];
  readonly #languages: readonly string[];
  /** Of two letters where there are: what texts without a language of their own are in. */
  readonly #main: string | undefined;
  readonly #access: AccessRight | undefined;
  /** While there is an embargo: its end, as far as anybody knows. */
  readonly #embargoEnd: string | undefined;

  constructor(item: DspaceItem, circumstances: Circumstances) {
    this.#item = item;
    this.#around = circumstances;
    this.#said = new Statements(item.metadata, circumstances.localFields);
    this.#languages = this.#readLanguages();
    this.#main = this.#languages[0] === undefined ? undefined : shortCode(this.#languages[0]);
    const { access, availableAt } = circumstances;
    this.#embargoEnd =
      access === 'embargoed' && availableAt !== undefined ? dateWithoutTime(availableAt) : undefined;
    // Without a date there is no end that anybody could wait for.
    this.#access = access === 'embargoed' && this.#embargoEnd === undefined ? 'restricted' : access;
  }

  read(): WorkReading {
    const said = this.#said;
    const { titles, others } = this.#readTitles();
    const type = this.#readType();
    const version = this.#readVersion(type);
    const journal = this.#oncePerLanguage('sourceTitle');
    const partOf = said.of('relation:isPartOf').filter(({ value }) => readIdentifier(value) === undefined);
    const sourceTitles = journal.length > 0 ? journal : this.#firstPerLanguage(partOf).first;
    const work: Work = {
      titles,
      alternatives: [...others, ...this.#texts('alternative')],
      creators: said.of('creator').map((one) => this.#name(one)),
      contributors: said
        .withTerms('contributor')
        .map(({ term, statement }) => ({ type: term, name: this.#name(statement) })),
      licences: readLicences(
        said
          .of('rights')
          .map(({ value, language }) => ({ value, language: this.#language(value, language) })),
        said.of('rightsUri').map(({ value }) => value),
      ),
      subjects: said
        .withTerms('subject')
        .map(({ term, statement }) => ({ scheme: term, ...this.#text(statement) })),
      descriptions: said
        .withTerms('description')
        .map(({ term, statement }) => ({ type: term, ...this.#text(statement) })),
      publishers: this.#texts('publisher'),
      dates: this.#readDates(),
      languages: this.#languages,
      type,
      version,
      identifiers: this.#readIdentifiers(),
      relations: this.#readRelations(journal.length > 0),
      isbns: this.#valid('isbn', readIsbn, 'it is no ISBN'),
      temporal: this.#texts('temporal'),
      places: said.of('spatial').map(({ value }) => value),
      grants: this.#readGrants(),
      issns: this.#valid('sourceIdentifier:ISSN', readIssn, 'it is no ISSN'),
      ncids: this.#valid('sourceIdentifier:NCID', readNcid, 'it is no NCID'),
      sourceTitles,
      citation: Object.fromEntries(citationParts.map((part) => [part, said.of(part)[0]])),
      conference: { place: this.#texts('conferencePlace')[0], date: this.#texts('conferenceDate')[0] },
      dissertationNumber: said.of('dissertationNumber')[0]?.value,
      degreeNames: this.#oncePerLanguage('degreeName'),
      dateGranted: this.#valid('dateGranted', dateWithoutTime, 'it is no date')[0],
      degreeGrantors: this.#oncePerLanguage('degreeGrantor'),
      extents: this.#texts('extent'),
      access: this.#access,
      files: this.#around.files ?? [],
    };
    return { work, remarks: this.#remarks };
  }

  #readLanguages(): readonly string[] {
    const codes = this.#said.of('language').flatMap((statement) => {
      const code = languageCode(statement.value);
      if (code === undefined) this.#drop('language', statement, 'it is no code of ISO 639');
      return code ?? [];
    });
    return [...new Set(codes)];
  }

  /** Two of one language are refused by who reads JPCOAR, and so is the reading of a title that is not there. */
  #readTitles() {
    const { first, others } = this.#firstPerLanguage(this.#said.of('title'));
    const hasJapanese = first.some(({ language }) => language === 'ja');
    const readings = hasJapanese ? [] : first.filter(isReading);
    const named = first.filter((title) => !readings.includes(title));
    // Where there are readings alone, the first of them is what it is called.
    const [title, ...more] = named.length > 0 ? [undefined, ...readings] : readings;
    const titles = title === undefined ? named : [{ ...title, language: 'ja' }];
    const moved = [...more, ...others.map(({ text }) => text)].filter((one) => one !== undefined);
    for (const { statement } of others) {
      this.#remark(
        'moved',
        'title',
        statement,
        'it is an alternative title, because there is one of this language already',
      );
    }
    return { titles, others: moved };
  }

  #readType(): ResourceType | undefined {
    const stated = [
      ...this.#said.of('type:NII').map((statement) => ({ statement, isNii: true })),
      ...this.#said.of('type').map((statement) => ({ statement, isNii: false })),
    ];
    const [first] = stated;
    if (first === undefined) return undefined;
    const read = stated.flatMap(({ statement, isNii }) => readResourceType(statement.value, isNii) ?? []);
    const known = read.find((type) => type !== otherType) ?? read[0];
    if (known === undefined) {
      const message = 'it is a type that neither COAR nor the word lists have, and is written as "other"';
      this.#remark('replaced', 'type', first.statement, message);
    }
    if (known !== thesisType) return known ?? otherType;
    const degrees = [...this.#said.of('degreeLevel'), ...this.#said.of('degreeName')];
    return thesisFor(degrees.map(({ value }) => value)) ?? known;
  }

  #readVersion(type: ResourceType | undefined): Term | undefined {
    for (const statement of this.#said.of('version')) {
      const term = readVersion(statement.value);
      if (term !== undefined) return term;
      this.#drop('version', statement, 'it is no version of COAR');
    }
    return type === preprint ? versions.AO : undefined;
  }

  /** While files are under embargo, the end of that is when the work is available: not when its record was. */
  #readDates(): Work['dates'] {
    const ends = this.#embargoEnd;
    const stated = this.#said.withTerms('date').flatMap(({ term, statement }) => {
      if (term === 'Available' && ends !== undefined) return [];
      const date = w3cDate(statement.value);
      if (date === undefined)
        this.#drop(`date:${term}`, statement, 'it is no date as YYYY, YYYY-MM or YYYY-MM-DD');
      return date === undefined ? [] : [{ type: term, date }];
    });
    const dates = ends === undefined ? stated : [...stated, { type: 'Available', date: ends }];
    const seen = new Set<string>();
    return dates.filter(({ type, date }) => !seen.has(`${type} ${date}`) && seen.add(`${type} ${date}`));
  }

  #readIdentifiers(): Identifiers {
    const { handle } = this.#item;
    const page = this.#around.page === undefined ? undefined : readIdentifier(this.#around.page);
    const { doiPrefixes = [] } = this.#around;
    const ofPage = page?.type === 'DOI' ? readDoi(page.value) : undefined;
    const stated = this.#said.of('doi').flatMap((statement) => {
      const doi = readDoi(statement.value);
      if (doi === undefined) this.#drop('doi', statement, 'it is no DOI');
      return doi ?? [];
    });
    const dois = [...new Set(ofPage === undefined ? stated : [...stated, ofPage])];
    const isOwn = (doi: string) => doiPrefixes.includes(doi.slice(0, doi.indexOf('/')));
    return {
      handle,
      ownDois: dois.filter(isOwn),
      otherDois: dois.filter((doi) => !isOwn(doi)),
      page: page?.type === 'DOI' ? undefined : page?.value,
    };
  }

  #readRelations(hasJournal: boolean): readonly Relation[] {
    const typed = this.#said
      .withTerms('relation')
      .map(({ term, statement }) => this.#relation(term, statement))
      // Without a journal's own field, it is the journal.
      .filter(({ type, identifier }) => type !== 'isPartOf' || identifier !== undefined || hasJournal);
    const plain = this.#said.of('relation').filter(({ value }) => !isGrant(value));
    return [...typed, ...plain.map((statement) => this.#relation(undefined, statement))];
  }

  #relation(type: string | undefined, statement: Statement): Relation {
    return { type, identifier: readIdentifier(statement.value), ...this.#text(statement) };
  }

  #readGrants(): readonly Grant[] {
    const stated = this.#said.of('relation').flatMap((statement) => readGrant(statement.value) ?? []);
    const funders = this.#texts('funder').map((funder) => ({ funder }));
    return [...stated, ...funders];
  }

  #name(statement: Statement): Name {
    const isBody = looksLikeBody(statement.value);
    const text = isBody ? statement.value : nameOf(statement.value);
    const said = this.#language(text, statement.language);
    // A reading of a name stands beside the name; this one stands alone.
    const language = isReading({ language: said }) ? 'ja' : said;
    return { text: text || statement.value, isBody, language, orcid: readOrcid(statement.authority) };
  }

  #language(text: string, stated: string | undefined): string | undefined {
    return textLanguage(text, stated, this.#main);
  }

  #text({ value, language }: Statement): Text {
    return { text: value, language: this.#language(value, language) };
  }

  #texts(says: string): readonly Text[] {
    return this.#said.of(says).map((statement) => this.#text(statement));
  }

  #oncePerLanguage(says: string): readonly Text[] {
    const { first, others } = this.#firstPerLanguage(this.#said.of(says));
    for (const { statement } of others) this.#drop(says, statement, 'there is one of this language already');
    return first;
  }

  #firstPerLanguage(statements: readonly Statement[]) {
    const first = new Map<string, Text>();
    const others: { readonly text: Text; readonly statement: Statement }[] = [];
    for (const statement of statements) {
      const text = this.#text(statement);
      const key = text.language ?? '';
      const known = first.get(key);
      if (known === undefined) first.set(key, text);
      else if (known.text !== text.text) others.push({ text, statement });
    }
    return { first: [...first.values()], others };
  }

  #valid(says: string, read: (stated: string) => string | undefined, why: string): readonly string[] {
    const found = this.#said.of(says).flatMap((statement) => {
      const value = read(statement.value);
      if (value === undefined) this.#drop(says, statement, why);
      return value ?? [];
    });
    return [...new Set(found)];
  }

  #drop(says: string, statement: Statement, message: string): void {
    this.#remark('dropped', says, statement, message);
  }

  #remark(kind: Remark['kind'], says: string, statement: Statement, message: string): void {
    this.#remarks.push({ kind, says, statement, message });
  }
}

/** Of a Japanese text, in kana or in Latin letters. */
function isReading({ language }: Pick<Text, 'language'>): boolean {
  return language === 'ja-Kana' || language === 'ja-Latn';
}

function dateWithoutTime(stated: string): string | undefined {
  return w3cDate(stated)?.slice(0, 10);
}

const grant = /^info:eu-repo\/grantAgreement\/([^/]*)\/([^/]*)\/([^/]+)/i;

function isGrant(text: string): boolean {
  return grant.test(text);
}

/** Of an address like `info:eu-repo/grantAgreement/EC/H2020/660668`. */
function readGrant(text: string): Grant | undefined {
  const [, funder = '', stream = '', number = ''] = (grant.exec(text) ?? []).map(decoded);
  if (funder === '' || number === '') return undefined;
  const name = funder === 'EC' ? 'European Commission' : funder;
  return { funder: { text: name, language: 'en' }, ...(stream !== '' && { stream }), number };
}

function decoded(part: string): string {
  try {
    return legalText(decodeURIComponent(part)).trim();
  } catch {
    return part.trim();
  }
}
