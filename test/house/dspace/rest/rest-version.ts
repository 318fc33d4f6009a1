/** What the replies of one DSpace release look like. `cris` is DSpace-CRIS 2024 (8.2). */
export type RestVersion = '7.6' | '8.2' | '9.1' | '10.1' | 'cris';

export interface Profile {
  readonly major: number;
  readonly dspaceVersion: string;
  readonly crisVersion: string | undefined;
  /** Instants as `…12.345678Z`, not `…12.345+00:00`. */
  readonly instants: boolean;
  readonly uniqueType: boolean;
  readonly submitterLink: boolean;
  readonly metricsLink: boolean;
  readonly bitstreamAccess: boolean;
  readonly embargoDate: boolean;
  /** Knows `projection=allLanguages`, and filters values by locale without it. */
  readonly locales: boolean;
  readonly lazyCsrf: boolean;
  /** An unknown bitstream is 401 (#10099, #11629). */
  readonly unknownIs401: boolean;
  readonly securityLevel: boolean;
}

export function profileOf(version: RestVersion): Profile {
  const cris = version === 'cris';
  const number = cris ? '8.2' : version;
  const major = Number.parseInt(number, 10);
  return {
    major,
    dspaceVersion: `DSpace ${number}`,
    crisVersion: cris ? 'cris-2024.02.04' : undefined,
    instants: major >= 9,
    uniqueType: major >= 10,
    submitterLink: major >= 9 || cris,
    metricsLink: cris,
    bitstreamAccess: major >= 9,
    embargoDate: major >= 9,
    locales: major >= 10 || cris,
    lazyCsrf: major === 8 || major === 9,
    unknownIs401: major < 9,
    securityLevel: cris,
  };
}

/** ISO with 0, 3 or 6 digits of a second and `Z` (9 and later), or three and `+00:00`. */
export function instant(profile: Profile, at: number, micros = 0): string {
  const iso = new Date(at).toISOString();
  if (!profile.instants) return iso.replace('Z', '+00:00');
  if (micros > 0) return iso.replace('Z', `${String(micros).padStart(3, '0')}Z`);
  return iso.replace('.000Z', 'Z');
}
