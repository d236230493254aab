"""``python -m scistudio_cli``: the same as ``scistudio``."""

from scistudio_cli.main import main

if __name__ == "__main__":
    main()
