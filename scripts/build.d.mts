/** The programs that are bundled: source by the name of the file in dist. */
export declare const programs: Readonly<Record<string, string>>;
