import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findFiles } from '../../../../../adapters/oai-pmh/files/index.ts';
import { fixtureRecords } from '../../../../house/adapters/fixture-records.ts';
import { sharedMaterial } from '../../../../house/adapters/shared-material.ts';

/** Worked out by reading the responses: the URLs of every live record, in its order. */
const withFiles: Record<string, readonly (readonly string[])[]> = {
  'oai/DSpace+DSpace__derived_didl_cuni111006.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/1/140076767.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/2/140076719.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/3/140076720.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/4/140076736.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/5/140080945.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/6/140080172.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/7/140081520.pdf',
    ],
  ],
  'oai/DSpace+DSpace__derived_didl_cuni41059.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/1/BPTX_2010_2__0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/2/BPPV_2010_2_11280_0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/3/BPPO_2010_2_11280_0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/4/BPZH_2010_2_11280_0_298600_0_114005.pdf',
    ],
  ],
  'oai/DSpace+DSpace__derived_junii2_cuni111006.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/1/140076767.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/2/140076719.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/3/140076720.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/4/140076736.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/5/140080945.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/6/140080172.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/7/140081520.pdf',
    ],
  ],
  'oai/DSpace+DSpace__derived_mets_cuni41059.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/1/BPTX_2010_2__0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/2/BPPV_2010_2_11280_0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/3/BPPO_2010_2_11280_0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/4/BPZH_2010_2_11280_0_298600_0_114005.pdf',
    ],
  ],
  'oai/DSpace+DSpace__derived_uketd_dc_cuni111006.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/1/140076767.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/2/140076719.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/3/140076720.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/4/140076736.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/5/140080945.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/6/140080172.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/7/140081520.pdf',
    ],
  ],
  'oai/DSpace+DSpace__item.xml': [['http://localhost:8080/bitstream/123456789/3/1/10.1.1.13.814.pdf']],
  'oai/DSpace+DSpace__rioxx-test-invalid.xml': [
    [
      'https://strathprints.strath.ac.uk/70117/7/Wilson_Heath_OS2019_Increasing_turbidity_in_the_North_Sea_during_the_20th_century.pdf',
    ],
  ],
  'oai/DSpace+DSpace__xoai-rioxx-test.xml': [
    ['https://example.org/bitstreams/9121e795-0af3-4ff3-be2a-4b28418fb269/download'],
  ],
  'oai/JPCOAR+schema__jpcoar_1.0_03_journal_article_oa.xml': [
    ['http://repository.dl.itc.u-tokyo.ac.jp/files/64495/JIS_12_3_34-57.pdf'],
  ],
  'oai/JPCOAR+schema__jpcoar_2.0_12_digital_archive.xml': [
    ['https://kokusho.nijl.ac.jp/biblio/200017323/manifest'],
  ],
  'oai/KBNLdataservices+oai-pmh-bulk-downloader__didl_getrecord_1.xml': [
    ['http://localhost:18081/resource-mock/sample-1.txt'],
  ],
  'oai/KBNLdataservices+oai-pmh-bulk-downloader__didl_getrecord_2.xml': [
    ['http://localhost:18081/resource-mock/sample-2.txt'],
  ],
  'oai/KBNLdataservices+oai-pmh-bulk-downloader__didl_getrecord_4.xml': [
    ['http://localhost:18081/resource-mock/sample-4.txt'],
  ],
  'oai/Narodni-repozitar+nr-oai-pmh-harvester__cuni_xoai_103772.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/103772/1/150042552.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/103772/2/150042549.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/103772/3/150042550.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/103772/4/150042856.pdf',
    ],
  ],
  'oai/Narodni-repozitar+nr-oai-pmh-harvester__cuni_xoai_111006.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/1/140076767.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/2/140076719.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/3/140076720.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/4/140076736.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/5/140080945.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/6/140080172.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/111006/7/140081520.pdf',
    ],
  ],
  'oai/Narodni-repozitar+nr-oai-pmh-harvester__cuni_xoai_120544.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/1/140087445.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/2/140087315.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/3/140087446.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/4/140087496.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/5/140087447.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/6/140088759.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/7/140088669.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/120544/8/140088896.pdf',
    ],
  ],
  'oai/Narodni-repozitar+nr-oai-pmh-harvester__cuni_xoai_36432.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/36432/1/130024162.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/36432/2/130025294.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/36432/3/130025293.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/36432/4/130025296.pdf',
    ],
  ],
  'oai/Narodni-repozitar+nr-oai-pmh-harvester__cuni_xoai_41059.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/1/BPTX_2010_2__0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/2/BPPV_2010_2_11280_0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/3/BPPO_2010_2_11280_0_298600_0_114005.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/41059/4/BPZH_2010_2_11280_0_298600_0_114005.pdf',
    ],
  ],
  'oai/Narodni-repozitar+nr-oai-pmh-harvester__cuni_xoai_95481.xml': [
    [
      'https://dspace.cuni.cz/bitstream/20.500.11956/95481/1/130224645.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/95481/2/130224808.pdf',
      'https://dspace.cuni.cz/bitstream/20.500.11956/95481/3/130224807.pdf',
    ],
  ],
  'oai/RCOSDP+weko__weko3_records_ui_utils_L1064.xml': [
    [
      'https://repository.dl.itc.u-tokyo.ac.jp/record/2005680/files/comparison_table_of_preparation_image_catalog.xlsx',
    ],
  ],
  'oai/RCOSDP+weko__weko3_records_ui_views_L1567.xml': [
    [
      'https://repository.dl.itc.u-tokyo.ac.jp/record/2005680/files/comparison_table_of_preparation_image_catalog.xlsx',
    ],
  ],
  'oai/dissemin+dissemin__citeseerx_record_without_date.xml': [['http://eprint.iacr.org/2013/810.pdf']],
  'oai/dissemin+dissemin__ftciteseerx_oai_CiteSeerX.psu_10.1.1.487.869.xml': [
    ['http://eprint.iacr.org/2013/810.pdf'],
  ],
  'oai/dpla+ingestion3__oai-page.xml': [
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37524535'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536094'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536095'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536096'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536097'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536098'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536100'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536101'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536102'],
    ['https://nrs.harvard.edu/urn-3:FMUS.ARN:37536103'],
  ],
  'oai/index-12288581241__ideals_ore.xml': [
    ['https://www.ideals.illinois.edu/bitstream/2142/14/1/Theater_Missile_Defense.pdf'],
  ],
  'oai/kata-csc+ckanext-oaipmh__ida.xml': [
    ['https://sui.csc.fi/my-files/ida/sa/smear/data/smear/database/HYY/HYY_jotain.csv'],
  ],
  'oai/lareferencia+lareferencia-core-lib__xoai_openaire.xml': [
    ['https://sapientia.ualg.pt/bitstream/10400.1/760/1/Tese%20M%c3%b3nica.pdf'],
  ],
  'oai/libris+swepub-redux__mau.xml': [
    ['http://muep.mau.se/bitstream/2043/22414/2/ACE14_Westerlaken_Gualeni_Grounded_Zoomorphism_2.pdf'],
  ],
  'oai/masao+jpcoar-validator__weko3_tsukuba_jpcoar_2.0_02000144.xml': [
    ['https://tsukuba.repo.nii.ac.jp/record/2000144/files/LNCS_12645_154-2.pdf'],
  ],
  'oai/opencast+opencast__list-records-response.xml': [
    [
      'http://localhost:8080/static/548adbd3-13ef-4189-9805-a3d83b4dc2a2/a980b71a-f15a-42b5-84cc-6edce37e8b9e/Freunde.flv',
      'http://localhost:8080/static/548adbd3-13ef-4189-9805-a3d83b4dc2a2/cf87c81c-7e83-4444-864e-b19fa6f93c9f/Freunde.avi',
    ],
  ],
  'oai/rero+sonar__boris_oai_openaire.xml': [
    [
      'https://boris.unibe.ch/10713/1/Good%20religion%20or%20bad%20religion.%20Distanced%20church-members%20and%20their%20perception%20of%20religion%20and%20religious%20plurality.pdf',
    ],
  ],
  'oai/seecr+meresco-harvester__arno_recordwithoutdate.xml': [['http://purl.org/utwente/fid/1140']],
  'oai/seecr+meresco-harvester__tud_00001_ListRecords.xml': [
    [
      'http://content.library.tudelft.nl/intradoc-cgi/nph-idc_cgi.exe/ae_bruinsma_20030121.pdf?IdcService=GET_FILE&dID=8802&dDocName=007087',
    ],
    [
      'http://content.library.tudelft.nl/intradoc-cgi/nph-idc_cgi.exe/ae_heuvel_20030915.pdf?IdcService=GET_FILE&dID=8800&dDocName=007192',
    ],
    [
      'http://content.library.tudelft.nl/intradoc-cgi/nph-idc_cgi.exe/as_aert_20030520.pdf?IdcService=GET_FILE&dID=8799&dDocName=007193',
    ],
  ],
  'dspace/oai/item.xml': [['http://localhost:8080/bitstream/123456789/3/1/10.1.1.13.814.pdf']],
  'dspace/oai/xoai-test1.xml': [
    [
      'http://demo.dspace.org/bitstream/10673/4/1/Lily-cat-of-day.htm',
      'http://demo.dspace.org/bitstream/10673/4/2/cl_style.css',
      'http://demo.dspace.org/bitstream/10673/4/3/kitty-1257950690.jpg',
      'http://demo.dspace.org/bitstream/10673/4/4/kitty-1257950690_002.jpg',
      'http://demo.dspace.org/bitstream/10673/4/5/logo.png',
      'http://demo.dspace.org/bitstream/10673/4/6/style.css',
      'http://demo.dspace.org/bitstream/10673/4/7/stylesheet.css',
    ],
  ],
};

/** The number of live records of the responses in which none states a file. */
const withoutFiles: Record<string, number> = {
  'oai/4Science+DSpace__publications-with-resumption-token.xml': 2,
  'oai/DSpace+DSpace__derived_dim_cuni111006.xml': 1,
  'oai/DSpace+DSpace__derived_etdms_cuni111006.xml': 1,
  'oai/DSpace+DSpace__derived_qdc_cuni111006.xml': 1,
  'oai/DSpace+DSpace__derived_rdf_cuni111006.xml': 1,
  'oai/JPCOAR+schema__jpcoar_2.1_02_journal_article_embargoed.xml': 1,
  'oai/JPCOAR+schema__jpcoar_2.1_09_departmental_bulletin_paper_restricted_access.xml': 1,
  'oai/MITLibraries+transmogrifier__datacite_records.xml': 38,
  'oai/MyCoRe-Org+oaipmh__listpatentrecords.xml': 94,
  'oai/afuetterer+oaipmh-scythe__zenodo_get_record_1.xml': 1,
  'oai/afuetterer+oaipmh-scythe__zenodo_get_record_2.xml': 1,
  'oai/bio-guoda+preston__zenodo-response-empty-resumption.xml': 5,
  'oai/clarin-eric+oai-harvest-manager__cmdi_GetRecord.xml': 1,
  'oai/clarin-eric+oai-harvest-manager__cmdi_ListRecords.xml': 2,
  'oai/dissemin+dissemin__ftarxivpreprints_oai_arXiv.org_1112.6130.xml': 1,
  'oai/dissemin+dissemin__ftbnfgallica_oai_bnf.fr_gallica_ark__12148_btv1b8621766k.xml': 1,
  'oai/dissemin+dissemin__ftdatacite_oai_oai.datacite.org_8558707.xml': 1,
  'oai/dissemin+dissemin__ftunivmacedonia_oai_dspace.lib.uom.gr_2159_6240.xml': 1,
  'oai/dissemin+dissemin__pmc_record.xml': 1,
  'oai/dissemin+dissemin__zenodo_record.xml': 1,
  'oai/dpla+ingestion3__mt.xml': 1,
  'oai/flevi29+oai-pmh-2-js__opus4_ListRecords_1.xml': 3,
  'oai/flevi29+oai-pmh-2-js__opus4_ListRecords_2.xml': 3,
  'oai/flevi29+oai-pmh-2-js__opus4_ListRecords_3.xml': 3,
  'oai/gdcc+xoai__oai_dc-CDATA.xml': 1,
  'oai/harvard-lts+spotlight-oaipmh-resources__mymods.xml': 1,
  'oai/inveniosoftware+invenio-oaiharvester__sample_arxiv_response_listrecords_cs.xml': 46,
  'oai/inveniosoftware+invenio-oaiharvester__sample_arxiv_response_no_namespace.xml': 1,
  'oai/inveniosoftware+invenio-oaiharvester__sample_arxiv_response_with_namespace.xml': 1,
  'oai/kata-csc+ckanext-oaipmh__helda.xml': 1,
  'oai/lareferencia+lareferencia-core-lib__original.xoai.record.xml': 1,
  'oai/mloesch+sickle__GetRecord_utf8test.xml': 1,
  'oai/mloesch+sickle__ListRecords.xml': 1,
  'oai/mloesch+sickle__ListRecords2.xml': 1,
  'oai/mloesch+sickle__ListRecords4.xml': 1,
  'oai/naturalis+nl.naturalis.oaipmh__specimen-example.xml': 2,
  'oai/paperhive+oai-pmh__arxiv_getrecord_0.xml': 1,
  'oai/seecr+meresco-harvester__lom_ListRecords.xml': 1,
  'oai/usnistgov+core_oaipmh_harvester_app__response_list_records_oai_demo_no_token.xml': 1,
  'oai/vufind-org+vufindharvest__marc.xml': 25,
  'oai/vufind-org+vufindharvest__subjectsplus.xml': 1,
  'oai/zimeon+www.openarchives.org__ex-sec2.5.xml': 1,
  'oai/zimeon+www.openarchives.org__ex-sec3.2.xml': 1,
  'oai/zimeon+www.openarchives.org__ex-sec4.5a.xml': 1,
  'oai/zimeon+www.openarchives.org__loc_marc21_GetRecord.xml': 1,
  'oai/zimeon+www.openarchives.org__ore_oai_rem_atom_ex2_3.xml': 1,
  'oai/zimeon+www.openarchives.org__rights-ex-sec3a.xml': 1,
  'oai/zimeon+www.openarchives.org__static-repository-exSR.xml': 1,
};

const folder = sharedMaterial('fixtures');

describe.skipIf(folder === undefined)('Of responses of real repositories', () => {
  const path = folder ?? '.';

  test.each(Object.entries(withFiles))(
    '%s: every stated file is found, and nothing else',
    async (name, expected) => {
      expect(await urlsOf(join(path, name))).toEqual(expected);
    },
  );

  test.each(Object.entries(withoutFiles))('%s: no file is stated, and none is found', async (name, count) => {
    expect(await urlsOf(join(path, name))).toEqual(Array.from({ length: count }, () => []));
  });

  test('none is left out', async () => {
    const unknown: string[] = [];
    for (const name of ['oai', 'dspace/oai'].flatMap((room) =>
      readdirSync(join(path, room)).map((file) => `${room}/${file}`),
    )) {
      if (!name.endsWith('.xml') || name in withFiles || name in withoutFiles) continue;
      const records = await fixtureRecords(join(path, name)).catch(() => []);
      if (records.length > 0) unknown.push(name);
    }
    expect(unknown).toEqual([]);
  });
});

async function urlsOf(file: string): Promise<readonly (readonly string[])[]> {
  const records = await fixtureRecords(file);
  return records.map(({ payload }) =>
    payload === undefined
      ? []
      : (findFiles(payload.namespace, payload.content)?.files ?? []).map(({ url }) => url),
  );
}
