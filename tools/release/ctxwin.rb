# The formula for a tap of Homebrew. tools/release/make.mjs fills in what stands in braces, and leaves out these lines.
class Ctxwin < Formula
  desc "{DESCRIPTION}"
  homepage "{HOMEPAGE}"
  url "https://registry.npmjs.org/ctxwin/-/ctxwin-{VERSION}.tgz"
  sha256 "{SHA256}"
  license "MIT"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec/"bin/ctxwin"
    man1.install_symlink libexec/"lib/node_modules/ctxwin/docs/ctxwin.1"
    generate_completions_from_executable(bin/"ctxwin", "completion")
  end

  test do
    (testpath/"session.jsonl").write <<~JSONL
      {"messages":[{"role":"user","content":"What is 2 + 2?"},{"role":"assistant","content":"4"}]}
    JSONL
    assert_match "session.jsonl", shell_output("#{bin}/ctxwin simulate session.jsonl --budget 20k")
  end
end
