export declare function bundleStore(sources?: readonly string[]): Promise<string>
