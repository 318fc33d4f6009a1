/** Of sources, of sets across them, and of all records in the order of OAI-PMH: their rows have an `id` and a `journal_id`. */
export const tablesOfJournals = ['source', 'joint_journal', 'oai_joint'] as const;
