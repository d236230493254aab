"""The block author's commands, ``python -m scistudio``; the ``scistudio`` command includes them."""
