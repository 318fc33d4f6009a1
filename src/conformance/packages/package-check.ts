import { createReadStream, createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { HttpResponse } from '../../core/adapter.ts';
import { countOf } from '../../core/count-of.ts';
import { describeError, isBridgeError } from '../../core/errors.ts';
import { isZip, openPackage } from '../../resourcesync/packages/package-file.ts';
import { essenceOf } from '../../resourcesync/source-port.ts';
import type { Report } from '../documents/finding.ts';
import { measure } from '../documents/fixity.ts';
import type { Member, SurveyedDocument } from '../survey/survey.ts';
import type { PackageRules } from './manifest-check.ts';
import { checkManifest, type ManifestContext } from './manifest-check.ts';

const packageRules: Readonly<Record<'RD' | 'CD', PackageRules>> = {
  RD: {
    reach: 'RS-RD-06',
    stated: 'RS-RD-08',
    hash: 'RS-RD-10 RS-ATTR-09',
    zip: 'RS-RD-13',
    contents: 'RS-RD-12',
    manifest: 'RS-RDM-01',
    topLevel: 'RS-RDM-02',
    manifestKind: 'RS-RDM-03',
    members: 'RS-RDM-06',
    memberFacts: 'RS-RDM-11',
  },
  CD: {
    reach: 'RS-CD-05',
    stated: 'RS-CD-06',
    hash: 'RS-CD-08 RS-ATTR-09',
    zip: 'RS-CD-10',
    contents: 'RS-CD-09',
    manifest: 'RS-CDM-01',
    topLevel: 'RS-CDM-01',
    manifestKind: 'RS-CDM-03',
    members: 'RS-CDM-04',
    memberFacts: 'RS-CDM-11',
  },
};

export interface PackageContext extends Omit<ManifestContext, 'rules' | 'report'> {
  readonly report: Report;
  /** Larger packages are judged by their headers alone. */
  readonly maximumBytes: number;
  /** False: the headers alone. */
  readonly download: boolean;
}

/** Fetches one package of a dump and looks inside. @returns whether its content was checked */
export async function checkPackage(
  dump: SurveyedDocument & { readonly kind: 'RD' | 'CD' },
  member: Member,
  context: PackageContext,
): Promise<boolean> {
  const rules = packageRules[dump.kind];
  const { report, note, port } = context;
  let response: HttpResponse;
  try {
    response = await port.get(member.loc, 'package');
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    report(rules.reach, `the package cannot be fetched: ${describeError(error)}`, 'error');
    return false;
  }
  if (response.status !== 200) {
    await response.discard();
    report(rules.reach, `the package answers ${response.status}`, 'error');
    return false;
  }
  const size = checkHeaders(member, response, rules, report);
  if (!context.download || (size !== undefined && size > context.maximumBytes)) {
    await response.discard();
    if (context.download) note(`${member.loc} has ${size} bytes: only its headers were checked`);
    return false;
  }
  const directory = await mkdtemp(join(tmpdir(), 'rsbridge-package-'));
  try {
    const path = join(directory, 'package.zip');
    if (!(await download(response, path, member, rules, context))) return false;
    return await lookInside(dump, member, path, { ...context, rules });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** RS-RD-08, RS-CD-06. @returns the length that the server states */
function checkHeaders(
  { md }: Member,
  { headers }: HttpResponse,
  rules: PackageRules,
  report: Report,
): number | undefined {
  const type = essenceOf(md.get('type'));
  const served = essenceOf(headers['content-type']);
  if (type !== undefined && type !== served) {
    report(`RS-ATTR-15 ${rules.stated}`, `type is ${type}, Content-Type is ${served ?? 'absent'}`);
  }
  const length = headers['content-length'];
  const stated = md.get('length');
  if (stated !== undefined && length !== undefined && stated !== length) {
    report(`RS-ATTR-10 RS-ATTR-11 ${rules.stated}`, `length is ${stated}, Content-Length is ${length}`);
  }
  return length === undefined ? undefined : Number(length);
}

async function download(
  response: HttpResponse,
  path: string,
  { loc, md }: Member,
  rules: PackageRules,
  { report, note, maximumBytes }: PackageContext,
): Promise<boolean> {
  let length = 0;
  async function* counted() {
    for await (const chunk of response.body) {
      length += chunk.length;
      if (length > maximumBytes) return;
      yield chunk;
    }
  }
  try {
    await pipeline(counted(), createWriteStream(path));
    if (length > maximumBytes) {
      note(`${loc} has more than ${countOf(maximumBytes, 'byte')}: it was not opened`);
      return false;
    }
    const { wrongHash } = await measure(createReadStream(path), md.get('hash'));
    if (wrongHash !== undefined) report(rules.hash, `the package does not fit ${wrongHash}`);
    if (
      md.has('length') &&
      response.headers['content-length'] === undefined &&
      md.get('length') !== `${length}`
    ) {
      report(
        `RS-ATTR-10 RS-ATTR-11 ${rules.stated}`,
        `length is ${md.get('length')}, but ${countOf(length, 'byte')} came`,
      );
    }
    return true;
  } catch (error) {
    if (!isBridgeError(error)) throw error;
    report(rules.reach, `the package could not be read: ${describeError(error)}`, 'error');
    return false;
  }
}

async function lookInside(
  dump: SurveyedDocument & { readonly kind: 'RD' | 'CD' },
  member: Member,
  path: string,
  context: ManifestContext,
): Promise<boolean> {
  const { rules, report } = context;
  if (!(await isZip(path))) {
    report(rules.zip, 'the package is no ZIP');
    return false;
  }
  try {
    const file = await openPackage(path);
    try {
      return await checkManifest(dump, member, file, context);
    } finally {
      file.close();
    }
  } catch (error) {
    // yauzl throws errors without a class of their own for whatever is wrong with a ZIP.
    if (isBridgeError(error) || !(error instanceof Error) || error.constructor !== Error) throw error;
    report(rules.manifest, `the package cannot be read: ${error.message}`);
    return false;
  }
}
